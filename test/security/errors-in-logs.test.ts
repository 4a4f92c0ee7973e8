import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { PassThrough } from 'node:stream';
import { connect, type Tx } from '@inventory/postgres/pool';
import { describeError, hiddenMessage } from '@inventory/process/log/describe-error';
import { createLog } from '@inventory/process/log/log';
import { PlainError } from '@inventory/process/plain-error';
import { startError } from '@inventory/process/run';
import { Redis } from 'ioredis';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { openConsumer } from '../harness/queue/consumer.ts';
import { openSubmitter } from '../harness/queue/submitter.ts';
import { readRedis } from '../harness/servers/redis-contents.ts';

const secret = 'cn4ry-of-this-file';

/** An error as a log shows it; the secret must not appear. */
function described(error: unknown) {
  const description = describeError(error);
  expect(JSON.stringify(description)).not.toContain(secret);
  return description;
}

async function failureOf(work: () => unknown): Promise<Error> {
  try {
    await work();
  } catch (error) {
    return error as Error;
  }
  throw new Error('it did not fail');
}

const notNull = 'remark text constraint noted_remark_check check (remark is null)';
type Work = (tx: Tx) => PromiseLike<unknown>;

test.each<[string, Work, boolean, object]>([
  [
    'a constraint: its name and that of the table, not the row',
    async (tx) => {
      await tx.unsafe(`create temp table noted (${notNull})`);
      await tx`insert into noted values (${secret})`;
    },
    true,
    {
      ...{ type: 'PostgresError', message: 'check_violation', code: '23514', severity: 'ERROR' },
      ...{ table: 'noted', constraint: 'noted_remark_check', routine: 'ExecConstraints' },
    },
  ],
  [
    'a value not of its type: the name of the condition',
    (tx) => tx`select ${secret}::text::integer`,
    true,
    { message: 'invalid_text_representation', code: '22P02' },
  ],
  [
    'a raise in a function: without its text',
    (tx) => tx.unsafe(`do $$ begin raise exception '${secret}'; end $$`),
    true,
    { message: 'raise_exception', code: 'P0001' },
  ],
  [
    'a missing table: the whole message, which holds only names',
    (tx) => tx`select ${secret}::text from nowhere`,
    false,
    { message: 'relation "nowhere" does not exist' },
  ],
  [
    'a cancelled statement: the same',
    (tx) => tx`set local statement_timeout = 100`.then(() => tx`select pg_sleep(60), ${secret}::text`),
    false,
    { message: expect.stringContaining('statement timeout') },
  ],
])('an error of Postgres: %s', async (_what, work, holds, shown) => {
  const sql = connect(inject('databaseUrl'), { name: 'tests', connectionsMax: 1 });
  onTestFinished(() => sql.end());
  const error = await failureOf(() => sql.begin((tx) => work(tx as never) as Promise<unknown>));
  const told = `${error.message} ${(error as { detail?: string }).detail}`;
  expect(told.includes(secret)).toBe(holds);
  expect(described(error)).toMatchObject(shown);
});

test('an error of Redis: its code and the command, and of its text only Redis’ own words', async () => {
  const redis = new Redis(inject('redisUrl'));
  redis.on('error', () => {});
  onTestFinished(() => redis.disconnect());
  const wrong = await failureOf(() => redis.auth('somebody', secret));
  expect(JSON.stringify((wrong as unknown as { command: unknown }).command)).toContain(secret);
  expect(described(wrong)).toMatchObject({ type: 'ReplyError', message: 'WRONGPASS', command: 'auth' });
  const unknown = await failureOf(() => redis.call('nonsense', secret));
  expect(unknown.message).toContain(secret);
  expect(described(unknown).message).toBe('ERR unknown command');
  const replied = await failureOf(() => redis.eval(`return redis.error_reply('${secret}')`, 0));
  expect(described(replied).message).toMatch(/^(an error of Redis|ERR)$/);
});

test.each([
  ['OOM command not allowed when used memory > maxmemory', 'OOM'],
  [`READONLY ${secret}`, 'READONLY'],
  [`LOADING ${secret}`, 'LOADING'],
  [`ERR Error running script (call to f_1): @user_script:1: -OOM command ${secret}`, 'ERR in a script: OOM'],
  [`NOSUCHCODE ${secret}`, 'an error of Redis'],
])('an error of Redis: %s', (message, said) => {
  expect(described(Object.assign(new Error(message), { name: 'ReplyError' })).message).toBe(said);
});

describe('any other error', () => {
  test('our own error: its whole message', () => {
    expect(described(new PlainError('work waits')).message).toBe('work waits');
  });

  test('an error of the system: the call, its code and the peer', async () => {
    const socket = connectTcp(1, '127.0.0.1');
    const [error] = await once(socket, 'error').catch((reason) => [reason]);
    expect(described(error)).toMatchObject({
      message: 'connect ECONNREFUSED',
      code: 'ECONNREFUSED',
      address: '127.0.0.1',
      port: 1,
    });
  });

  test('an invalid address: without the address', async () => {
    const error = await failureOf(() => new URL(`redis://:${secret}@[`));
    expect(JSON.stringify(error)).toContain(secret);
    expect(described(error)).toMatchObject({ message: 'Invalid URL', code: 'ERR_INVALID_URL' });
    expect(startError(error)).toBe('Invalid URL');
  });

  test('JSON, numbers and properties that quote their input: nothing', async () => {
    for (const work of [() => JSON.parse(secret), () => BigInt(secret), () => [1].map(secret as never)]) {
      const error = await failureOf(work);
      expect(error.message).toContain('cn4ry');
      expect(described(error).message).toBe(hiddenMessage);
    }
  });

  test('fields, a cause and nested errors: by the same list, however deep', () => {
    const deep = Array.from({ length: 50 }).reduce<Error>(
      (cause) => Object.assign(new Error(secret, { cause }), { body: secret, [secret]: 1 }),
      new Error(secret),
    );
    const error = new AggregateError([deep, secret, null, { secret }], secret);
    const circular = new Error(secret);
    circular.cause = circular;
    for (const each of [error, circular]) expect(JSON.stringify(described(each)).length).toBeLessThan(60_000);
    expect(described(error).errors).toHaveLength(4);
    expect(described(error).errors![1]).toEqual({ type: 'string', message: hiddenMessage });
  });

  test('the stack: frames of code, without the message, even if it looks like them', () => {
    const error = new Error(`${secret}\n    at ${secret} (${secret}:1:1)`);
    expect(described(error).stack).toMatch(/^( {4}at .*:\d+:\d+\)?\n?)+$/);
    expect(described(error).stack).toContain('errors-in-logs.test.ts');
    const forged = new Error('short');
    forged.stack = `Error: ${secret}\n    at ${secret} (/${secret}:1:1)\n    at ${secret} (/x:1:1)`;
    expect(described(forged).stack).toBeUndefined();
    const changed = new Error(`${secret}\n    at secret (/${secret}:1:1)`);
    // Formatted now, because some engines format the stack only when it is read.
    expect(changed.stack).toContain(secret);
    changed.message = '';
    expect(described(changed).stack).toBeUndefined();
  });

  test('a value that is no error, or throws when read: its type', () => {
    expect([secret, undefined, null, 5, { secret }].map((each) => described(each))).toEqual(
      ['string', 'undefined', 'null', 'number', 'object'].map((type) => ({ type, message: hiddenMessage })),
    );
    const thorny = new Error(secret);
    Object.defineProperty(thorny, 'message', {
      get() {
        throw new Error(secret);
      },
    });
    described(thorny);
  });
});

test('a log line holds an error only in this form, however it is passed', () => {
  const lines: string[] = [];
  const level = process.env.LOG_LEVEL;
  process.env.LOG_LEVEL = 'trace';
  const output = new PassThrough();
  output.on('data', (chunk) => lines.push(String(chunk)));
  const log = createLog('tests', output);
  process.env.LOG_LEVEL = level;
  const error = Object.assign(new Error(secret), { args: [secret] });
  const careless = log.error.bind(log) as unknown as (...given: unknown[]) => void;
  for (const given of [
    [error],
    [error, 'with a message'],
    [{ err: error }],
    [{ err: error, other: error, body: { secret } }, 'with %s', secret],
    ['with %s', secret],
    [{ req: { headers: { authorization: secret } }, headers: {}, socket: {}, method: 'GET' }, 'a request'],
    [undefined],
    [{ err: secret }, 'a text'],
  ])
    careless(...given);
  expect(lines).toHaveLength(8);
  expect(lines.join('')).not.toContain(secret);
  expect(JSON.parse(lines[1]!)).toMatchObject({
    msg: 'with a message',
    err: { type: 'Error', message: hiddenMessage },
  });
});

test('an envelope that fails leaves no message of the error in Redis', async () => {
  const { submit, prefix, redisUrl } = await openSubmitter({ envelopeMax: 4, inFlightMax: 4 });
  const redis = new Redis(redisUrl);
  onTestFinished(() => redis.disconnect());
  await openConsumer({ redisUrl, prefix, apply: () => Promise.reject(new Error(secret)) });
  const answers = submit(1);
  let kept = '';
  const keep = async () => {
    kept += await readRedis(redis, `${prefix}:*`);
    return kept;
  };
  // Between two attempts it is there for a moment.
  await expect.poll(keep, { interval: 5 }).toContain('an envelope was not applied');
  await Promise.all(answers);
  expect(kept).not.toContain(secret);
});
