import { randomInt } from 'node:crypto';
import { keyReused } from '@inventory/domain/refusals/conflict';
import { expect, test } from 'vitest';
import { createRandom, pickOne } from '../faults/random.ts';
import {
  type ApiAnswer,
  type ApiClient,
  createApiClient,
  untilAnswered,
} from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { issueOf, type Operation, receiveOf } from '../harness/stock/operations.ts';

const service = useService({ apis: 2, workers: 2, env: { QUEUE_SHARDS: '3' } });
// ONE_KEY_SEED repeats a run.
const seed = Number(process.env.ONE_KEY_SEED ?? randomInt(2 ** 31));
const random = createRandom(seed);
const roundCount = 25;
const scarceUnits = 1000;

const forms = ['single', 'each', 'atomic'] as const;
type Form = (typeof forms)[number];

/**
 * A key and the operations sent with it: nearly always the first, sometimes another thing of another item.
 */
type Key = { key: string; operations: Operation[] };

/** An answer's word about a key: applied, or refused for good, with the body of the single call. */
type Told = {
  form: Form;
  key: string;
  status: 'applied' | 'refused';
  body: { transactionNo?: number; message?: string };
  replayed: boolean;
};

const isOtherUse = ({ body }: Told) => body.message === keyReused.message;
const isReplay = ({ headers }: ApiAnswer) => headers.get('Idempotent-Replayed') === 'true';
const chance = (share: number) => random() < share;

function shuffled<Value>(values: readonly Value[]): Value[] {
  return values
    .map((value) => ({ value, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value);
}

function makeKey(items: readonly string[], scarce: string): Key {
  const key = uniqueName('one');
  const fields = { key, reference: key };
  const [first, second] = shuffled(items) as [string, string];
  const some = chance(0.6)
    ? receiveOf(first, 2, fields)
    : chance(0.5)
      ? issueOf(first, 1, fields)
      : issueOf(scarce, scarceUnits, fields);
  return { key, operations: [some, receiveOf(second, 3, fields)] };
}

/** The final word of an answer in this form about each key of these operations. */
function toldBy(form: Form, sent: readonly Operation[], answer: ApiAnswer): Told[] {
  const { status, body } = answer;
  const keyOf = (index: number) => sent[index]!.key as string;
  const isReplayed = isReplay(answer);
  if (form === 'single') {
    if (status === 503) return [];
    return [
      { form, key: keyOf(0), status: status < 300 ? 'applied' : 'refused', body, replayed: isReplayed },
    ];
  }
  type Result = {
    index: number;
    key: string;
    status: string;
    body: object;
    error: object;
    replayed: boolean;
  };
  return ((body.results ?? []) as Result[]).flatMap(({ index, key, status: said, replayed, ...result }) => {
    expect(key).toBe(keyOf(index));
    // A refused list uses no key of its operations: the refusal is about this list alone.
    const isOfList = form === 'atomic' && said === 'refused' && (!replayed || isReplayed);
    if (said === 'notApplied' || isOfList) return [];
    const known = { form, key, replayed, body: result.body ?? result.error };
    return [{ ...known, status: said as Told['status'] }];
  });
}

/** One send by one of the apis: a single call, or a list of some of the keys in any order. */
function chooseSend(clients: readonly ApiClient[], keys: readonly Key[]) {
  const form = pickOne(random, forms);
  const some = shuffled(keys).slice(0, form === 'single' ? 1 : 1 + Math.floor(random() * keys.length));
  const operations = some.map(({ operations: [first, other] }) => (chance(0.1) ? other! : first!));
  const header = form === 'atomic' && chance(0.3) ? { 'Idempotency-Key': uniqueName('list') } : {};
  const evidence = chance(0.3) ? { deviceID: 's-12', deviceSeq: 1 } : {};
  return async (): Promise<{ form: Form; sent: Operation[]; answer: ApiAnswer }> => {
    const client = pickOne(random, clients);
    if (form === 'single')
      return { form, sent: operations, answer: await sendSingle(client, operations[0]!) };
    const list = { mode: form, operations: operations.map((each) => ({ ...each, ...evidence })) };
    return { form, sent: operations, answer: await client.post('/Inventory/Batch', list, header) };
  };
}

function sendSingle(client: ApiClient, { op, key, ...body }: Operation): Promise<ApiAnswer> {
  const path = op === 'receive' ? '/Inventory/Receive' : '/Inventory/Issue';
  return client.post(path, body, { 'Idempotency-Key': key as string });
}

/** The one transaction of each of these keys, and which of them share a transaction of the database. */
async function appliedUnder(keys: readonly string[]) {
  const rows = await service.sql<{ key: string; transaction_no: number; xact: string }[]>`
    select body->>'reference' as key, transaction_no, xmin::text as xact
    from stock_transaction
    where body->>'reference' = any(${keys as string[]}::text[]) and status = 'applied'`;
  const byKey = new Map(rows.map((row) => [row.key, row]));
  expect(byKey.size, 'keys with two transactions').toBe(rows.length);
  return byKey;
}

/** Everything newly applied by a list is one transaction of the database. */
async function expectWhole({ form, sent, answer }: Awaited<ReturnType<ReturnType<typeof chooseSend>>>) {
  const fresh = toldBy(form, sent, answer).filter(({ replayed }) => !replayed);
  const applied = await appliedUnder(fresh.map(({ key }) => key));
  expect(applied.size).toBe(fresh.length);
  expect(new Set([...applied.values()].map(({ xact }) => xact)).size).toBe(fresh.length > 0 ? 1 : 0);
}

/**
 * All answers about a key agree with each other and with Postgres; returns who was applied, and who met it.
 */
async function expectOne(key: string, ofKey: readonly Told[], isRefused: boolean): Promise<string[]> {
  const what = JSON.stringify(ofKey);
  const yes = ofKey.filter(({ status }) => status === 'applied');
  const firsts = yes.filter(({ replayed }) => !replayed);
  expect(yes.length > 0, what).toBe(!isRefused);
  expect(new Set(yes.map(({ body }) => JSON.stringify(body))).size, what).toBeLessThanOrEqual(1);
  expect(firsts.length, what).toBeLessThanOrEqual(1);
  const kept = (await appliedUnder([key])).get(key)?.transaction_no;
  expect(kept, what).toBe(yes[0]?.body.transactionNo);
  return firsts.flatMap((first) =>
    yes.filter(({ replayed }) => replayed).map(({ form }) => `${first.form}, ${form}`),
  );
}

test(`one transaction and one answer per key, sent at the same moment alone, in each lists and in atomic lists (ONE_KEY_SEED=${seed})`, async () => {
  const client = await service.client();
  const clients = service.baseUrls.map((baseUrl) =>
    createApiClient(baseUrl, client.clientId, client.token, { isPatient: false }),
  );
  const items = [await service.item(), await service.item(), await service.item()];
  const met = new Set<string>();
  const sendSoon = (operation: Operation) =>
    untilAnswered(() => sendSingle(pickOne(random, clients), operation));
  const restock = (itemID: string, units: number) =>
    sendSoon(receiveOf(itemID, units, { key: uniqueName('stock') }));
  for (const itemID of items) await restock(itemID, 1000);

  for (let round = 0; round < roundCount; round++) {
    const scarce = await service.item();
    const keys = Array.from({ length: 1 + Math.floor(random() * 8) }, () => makeKey(items, scarce));
    const sends = Array.from({ length: 4 + Math.floor(random() * 8) }, () => chooseSend(clients, keys));
    // A list with its own key also comes again at the same moment.
    const answers = await Promise.all(sends.flatMap((send) => (chance(0.2) ? [send(), send()] : [send()])));
    const told = answers.flatMap(({ form, sent, answer }) => toldBy(form, sent, answer));
    const lists = answers.filter(({ form }) => form === 'atomic');
    if (lists.some(({ answer }) => answer.status === 409)) met.add('a list refused');
    for (const list of lists.filter(({ answer }) => answer.status === 200 && !isReplay(answer)))
      await expectWhole(list);
    await restock(scarce, scarceUnits * keys.length);
    await Promise.all(
      keys.map(async ({ key, operations }) => {
        const ofKey = told.filter((each) => each.key === key);
        if (ofKey.some(isOtherUse)) met.add('another use refused');
        const isRefused = ofKey.some((each) => each.status === 'refused' && !isOtherUse(each));
        // Once more alone, for either thing: the first is new if no answer about the key was final.
        for (const operation of operations)
          ofKey.push(...toldBy('single', [operation], await sendSoon(operation)));
        for (const who of await expectOne(key, ofKey, isRefused)) met.add(who);
      }),
    );
  }
  // Each form came first and was met by every other one.
  const expected = forms.flatMap((first) => forms.map((form) => `${first}, ${form}`));
  expect([...met].sort()).toEqual([...expected, 'a list refused', 'another use refused'].sort());
});
