import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { PassThrough } from 'node:stream';
import { connect } from '@inventory/db/postgres/pool';
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

async function failureOf(work: PromiseLike<unknown>): Promise<Error> {
  const error = await Promise.resolve(work).then(
    () => null,
    (reason: Error) => reason,
  );
  if (error === null) throw new Error('it did not fail');
  return error;
}

describe('an error of Postgres', () => {
  const fail = async (work: (sql: ReturnType<typeof connect>) => PromiseLike<unknown>) => {
    const sql = connect(inject('databaseUrl'), { name: 'tests', connectionsMax: 1 });
    try {
      return await failureOf(sql.begin((tx) => work(tx as never) as Promise<unknown>));
    } finally {
      await sql.end();
    }
  };

  test('a constraint: its name and that of the table, not the row', async () => {
    const error = await fail(async (tx) => {
      await tx`create temp table noted (remark text constraint noted_remark_check check (remark is null))`;
      await tx`insert into noted values (${secret})`;
    });
    expect((error as { detail?: string } & Error).detail).toContain(secret);
    expect(described(error)).toMatchObject({
      type: 'PostgresError',
      message: 'check_violation',
      code: '23514',
      severity: 'ERROR',
      table: 'noted',
      constraint: 'noted_remark_check',
      routine: 'ExecConstraints',
    });
  });

  test('a value not of its type: the name of the condition', async () => {
    const error = await fail((tx) => tx`select ${secret}::text::integer`);
    expect(error.message).toContain(secret);
    expect(described(error)).toMatchObject({ message: 'invalid_text_representation', code: '22P02' });
  });

  test('a raise in a function: without its text', async () => {
    const error = await fail((tx) => tx.unsafe(`do $$ begin raise exception '${secret}'; end $$`));
    expect(described(error)).toMatchObject({ message: 'raise_exception', code: 'P0001' });
  });

  test('a missing table, a cancelled statement: the whole message, which holds only names', async () => {
    const missing = await fail((tx) => tx`select ${secret}::text from nowhere`);
    expect(described(missing).message).toBe('relation "nowhere" does not exist');
    const cancelled = await fail(async (tx) => {
      await tx`set local statement_timeout = 100`;
      await tx`select pg_sleep(60), ${secret}::text`;
    });
    expect(described(cancelled).message).toContain('statement timeout');
  });
});

describe('an error of Redis', () => {
  const fail = async (work: (redis: Redis) => Promise<unknown>) => {
    const redis = new Redis(inject('redisUrl'));
    redis.on('error', () => {});
    try {
      return await failureOf(work(redis));
    } finally {
      redis.disconnect();
    }
  };

  test('a wrong password: the error code and the command', async () => {
    const error = await fail((redis) => redis.auth('somebody', secret));
    expect(JSON.stringify((error as unknown as { command: unknown }).command)).toContain(secret);
    expect(described(error)).toMatchObject({ type: 'ReplyError', message: 'WRONGPASS', command: 'auth' });
  });

  test('another error: ERR, and of its text only Redis’ own words', async () => {
    const unknown = await fail((redis) => redis.call('nonsense', secret));
    expect(unknown.message).toContain(secret);
    expect(described(unknown).message).toBe('ERR unknown command');
    expect(
      described(await fail((redis) => redis.eval(`return redis.error_reply('${secret}')`, 0))).message,
    ).toMatch(/^(an error of Redis|ERR)$/);
  });

  test.each([
    ['OOM command not allowed when used memory > maxmemory', 'OOM'],
    [`READONLY ${secret}`, 'READONLY'],
    [
      `ERR Error running script (call to f_1): @user_script:1: -OOM command ${secret}`,
      'ERR in a script: OOM',
    ],
    [`NOSUCHCODE ${secret}`, 'an error of Redis'],
  ])('%s', (message, said) => {
    const error = Object.assign(new Error(message), { name: 'ReplyError' });
    expect(described(error).message).toBe(said);
  });
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

  test('an invalid address: without the address', () => {
    const url = `redis://:${secret}@[`;
    let error: unknown;
    try {
      new URL(url);
    } catch (reason) {
      error = reason;
    }
    expect(JSON.stringify(error)).toContain(secret);
    expect(described(error)).toMatchObject({ message: 'Invalid URL', code: 'ERR_INVALID_URL' });
    expect(startError(error)).toBe('Invalid URL');
  });

  test('JSON, numbers and properties that quote their input: nothing', () => {
    const thrown = [() => JSON.parse(secret), () => BigInt(secret), () => [1].map(secret as never)].map(
      (work) => {
        try {
          return work();
        } catch (error) {
          return error;
        }
      },
    );
    for (const error of thrown) {
      expect(String((error as Error).message)).toContain('cn4ry');
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
  careless(error);
  careless(error, 'with a message');
  careless({ err: error });
  careless({ err: error, other: error, body: { secret } }, 'with %s', secret);
  careless('with %s', secret);
  careless(
    { req: { headers: { authorization: secret } }, headers: {}, socket: {}, method: 'GET' },
    'a request',
  );
  careless(undefined);
  careless({ err: secret }, 'a text');
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
  const kept: string[] = [];
  // Between two attempts it is there for a moment.
  await expect
    .poll(
      async () => {
        kept.push(await readRedis(redis, `${prefix}:*`));
        return kept.join();
      },
      { interval: 5 },
    )
    .toContain('an envelope was not applied');
  await Promise.all(answers);
  expect(kept.join()).not.toContain(secret);
});
