import { describe, expect, test } from 'vitest';
import { errorObject, expectAnswer } from '../harness/contract/answers.ts';
import { useService } from '../harness/service/service.ts';

const service = useService();

const notAvailable = errorObject(501, 'not_implemented', 'This operation is not available.');

describe.each(['PurchaseOrder', 'ShippingOrder', 'WorkOrder', 'Report'])('/%s', (family) => {
  test('501: any method and any sub-path, with a token', async () => {
    const client = await service.client({ permissions: [], warehouses: [], readOnly: true });
    for (const [method, path] of [
      ['GET', `/${family}`],
      ['GET', `/${family}/1?page=0`],
      ['POST', `/${family}`],
      ['PUT', `/${family}/1/Lines`],
      ['DELETE', `/${family}/1`],
      ['PATCH', `/${family}/`],
    ] as const) {
      const answer = await client.send(method, path);
      expectAnswer(answer, 501, notAvailable);
      expect(answer.headers.get('RateLimit')).not.toBeNull();
    }
  });

  test('404: another case of the letters', async () => {
    const client = await service.client();
    expect((await client.get(`/${family.toLowerCase()}`)).status).toBe(404);
    expect((await client.get(`/${family}s`)).status).toBe(404);
  });
});
