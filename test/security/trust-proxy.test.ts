import { describe, expect, test } from 'vitest';
import { type ApiAnswer, send } from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';

let count = 0;
const newAddress = () => {
  count += 1;
  return `198.18.${count >> 8}.${count & 255}`;
};

/**
 * Asks for a token with a wrong secret, as another client each time, so that only the address can be limited.
 */
function ask(baseUrl: string, forwarded: string): Promise<ApiAnswer> {
  const form = {
    grant_type: 'client_credentials',
    client_id: uniqueName('nobody'),
    client_secret: uniqueName('wrong'),
  };
  return send(baseUrl, 'POST', '/Token', {
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'X-Forwarded-For': forwarded },
    body: new URLSearchParams(form).toString(),
  });
}

async function statuses(baseUrl: string, forwarded: () => string): Promise<number[]> {
  const answers = [];
  for (let each = 0; each < 12; each++) answers.push((await ask(baseUrl, forwarded())).status);
  return answers;
}

const limited = [...Array(10).fill(401), 429, 429];
const free = Array(12).fill(401);

describe('without TRUST_PROXY', () => {
  const service = useService();

  test('429: the caller is its connection, whatever X-Forwarded-For says', async () => {
    expect(await statuses(service.baseUrl, newAddress)).toEqual(limited);
    expect((await ask(service.baseUrl, '')).status).toBe(429);
  });
});

describe('with TRUST_PROXY=2', () => {
  const service = useService({ env: { TRUST_PROXY: '2' } });

  test('429: the last entry but one is the caller, whatever it wrote to the left and whichever proxy is last', async () => {
    const caller = newAddress();
    const forwarded = () => `${newAddress()}, ${caller}, ${newAddress()}`;
    expect(await statuses(service.baseUrl, forwarded)).toEqual(limited);
  });

  test('401: callers that differ in the last entry but one are different callers', async () => {
    const [written, proxy] = [newAddress(), newAddress()];
    expect(await statuses(service.baseUrl, () => `${written}, ${newAddress()}, ${proxy}`)).toEqual(free);
  });
});
