import { addReason, reasonsMax } from '@inventory/db/operator/manage-reasons';
import { beforeEach, expect, test } from 'vitest';
import { addressFor } from '../harness/as-part.ts';
import { fileIn, useFolder } from '../harness/folders.ts';
import { expectWaiting } from '../harness/queue/batches.ts';
import { type RunningCommand, runHere, startCommand } from '../harness/service/command-line.ts';
import { useService } from '../harness/service/service.ts';

const service = useService();
const folder = useFolder();

const reason = (...args: string[]) =>
  runHere(['reason', ...args], { DATABASE_URL: addressFor('operator', service.databaseUrl) });
const listed = async () => JSON.parse((await reason('list', '--json')).stdout);
const done = (stdout: string) => ({ code: 0, stdout, stderr: '' });
const failed = (code: number, stderr: string) => ({ code, stdout: '', stderr });

const fileOf = (...lines: string[]) => fileIn(folder, lines);

beforeEach(async () => {
  await service.sql`delete from reason`;
  await service.sql`delete from reason_enforcement`;
});

test('reasons are added, changed, listed and removed', async () => {
  expect(await reason('add', '--code', '0', '--name', 'Goods in')).toEqual(
    done('added reason 0 Goods in, for receive, issue, count\n'),
  );
  // In the order of the service, each once.
  const expired = ['add', '--code', '21', '--name', 'Expired', '--operations'];
  expect((await reason(...expired, 'Count, issue,count')).stdout).toBe(
    'added reason 21 Expired, for issue, count\n',
  );
  expect(await reason(...expired, 'issue')).toEqual(failed(1, 'error: reason 21 already exists\n'));
  expect(await reason('set', '--code', '21', '--operations', 'issue')).toEqual(done('changed reason 21\n'));
  expect(await reason('set', '--code', '21', '--name', 'Past its date')).toEqual(done('changed reason 21\n'));
  expect(await listed()).toEqual([
    { reasonCode: 0, name: 'Goods in', operations: ['receive', 'issue', 'count'] },
    { reasonCode: 21, name: 'Past its date', operations: ['issue'] },
  ]);
  expect(await reason('remove', '--code', '21')).toEqual(done('removed reason 21 Past its date\n'));
  const none = failed(1, 'error: there is no reason 21\n');
  expect(await reason('remove', '--code', '21')).toEqual(none);
  expect(await reason('set', '--code', '21', '--name', 'x')).toEqual(none);
});

test.each([
  ['a code that is no number', ['add', '--code', '1e3', '--name', 'x']],
  ['a code that is too large', ['add', '--code', '2147483648', '--name', 'x']],
  ['an operation without reasons', ['add', '--code', '1', '--name', 'x', '--operations', 'move']],
  ['no operation', ['add', '--code', '1', '--name', 'x', '--operations', ' ,']],
  ['an invisible name', ['add', '--code', '1', '--name', ' ']],
  ['nothing to change', ['set', '--code', '1']],
  ['another state', ['enforce', 'yes']],
])('%s is refused with exit code 2', async (_, args) => {
  expect((await reason(...args)).code).toBe(2);
  expect(await listed()).toEqual([]);
});

test('the list is enforced, and no longer; the list says so', async () => {
  expect((await reason('enforce', 'on')).stdout).toBe(
    'reasons that are not listed are refused from now on\n',
  );
  expect((await reason('enforce', 'on')).stdout).toBe('reasons that are not listed are refused already\n');
  expect((await reason('list')).stdout).toContain('other reasons are refused since ');
  expect((await reason('enforce', 'off')).stdout).toBe('any reason is taken from now on\n');
  expect((await reason('list')).stdout).not.toContain('refused');
});

test('operations that have no reason are named while others are refused', async () => {
  await reason('add', '--code', '1', '--name', 'Any', '--operations', 'receive issue');
  const warning = (names: string) => `warning: no reason is listed for ${names}: all are refused\n`;
  expect(await reason('enforce', 'on')).toMatchObject({ code: 0, stderr: warning('count') });
  expect((await reason('set', '--code', '1', '--operations', 'count')).stderr).toBe(
    warning('receive, issue'),
  );
  expect((await reason('remove', '--code', '1')).stderr).toBe(warning('receive, issue, count'));
  expect((await reason('enforce', 'off')).stderr).toBe('');
});

test('the warning comes before the first request is refused', async () => {
  await reason('add', '--code', '1', '--name', 'Any', '--operations', 'receive issue');
  let said = '';
  let enforcing: RunningCommand | undefined;
  await service.sql.begin(async (tx) => {
    // The switch waits for this lock.
    await tx`lock table reason_enforcement in exclusive mode`;
    enforcing = startCommand(['reason', 'enforce', 'on'], {
      DATABASE_URL: addressFor('operator', service.databaseUrl),
    });
    enforcing.child.stderr!.on('data', (text: string) => {
      said += text;
    });
    await expect.poll(() => said).toBe('warning: no reason is listed for count: all are refused\n');
    await expectWaiting(service.sql, 1);
  });
  expect(await enforcing!.ended).toMatchObject({
    code: 0,
    stdout: 'reasons that are not listed are refused from now on\n',
  });
});

test('a file adds reasons and changes those that there are; what it does not name stays', async () => {
  await reason('add', '--code', '1', '--name', 'Goods in', '--operations', 'receive');
  await reason('add', '--code', '2', '--name', 'Picked');
  const file = fileOf(
    'reasonCode;name;operations',
    '1;Delivery;',
    '2;Picked;',
    '3;Scrapped;issue,count',
    '4;Any;',
  );
  expect(await reason('import', '--from', file)).toEqual(done('added 2, changed 1, unchanged 1\n'));
  expect(await listed()).toEqual([
    { reasonCode: 1, name: 'Delivery', operations: ['receive'] },
    { reasonCode: 2, name: 'Picked', operations: ['receive', 'issue', 'count'] },
    { reasonCode: 3, name: 'Scrapped', operations: ['issue', 'count'] },
    { reasonCode: 4, name: 'Any', operations: ['receive', 'issue', 'count'] },
  ]);
});

test('bad rows are named, and nothing is imported, or only the others', async () => {
  const file = fileOf(
    'reasonCode,name,operations',
    '1,Goods in,receive',
    'x,,move',
    '1,Again,',
    '3,Scrapped,issue',
  );
  const { code, stdout, stderr } = await reason('import', '--from', file);
  expect([code, stdout]).toEqual([1, '']);
  for (const where of [
    'line 3, reasonCode: ',
    'line 3, name: ',
    'line 3, operations: ',
    'line 4, reasonCode: ',
  ])
    expect(stderr).toContain(where);
  expect(await listed()).toEqual([]);
  expect((await reason('import', '--from', file, '--skip-bad')).code).toBe(1);
  expect((await listed()).map((each: { name: string }) => each.name)).toEqual(['Goods in', 'Scrapped']);
});

test(`there are at most ${reasonsMax} reasons, however many are added at once`, async () => {
  const rows = Array.from({ length: reasonsMax - 1 }, (_, code) => `${code},Reason ${code}`);
  expect((await reason('import', '--from', fileOf('reasonCode,name', ...rows))).code).toBe(0);
  const add = (reasonCode: number) =>
    addReason(service.sql, { reasonCode, name: 'one more', operations: ['issue'] });
  expect((await Promise.all([add(5000), add(5001)])).sort()).toEqual(['added', 'tooMany']);
  const more = fileOf('reasonCode,name', '1,Renamed', '6000,Too many');
  expect((await reason('import', '--from', more)).stderr).toContain('line 3, reasonCode: there are 1000');
  expect((await reason('import', '--from', more, '--skip-bad')).stdout).toBe(
    'added 0, changed 1, unchanged 0\n',
  );
});

test('codes in use that are not listed for their operation are named before others are refused', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const stock = { itemID, wid: 1 };
  await client.post('/Inventory/Receive', { ...stock, units: 9, reasonCode: 1 });
  for (const reasonCode of [1, 2, 30])
    expect((await client.post('/Inventory/Issue', { ...stock, units: 1, reasonCode })).status).toBe(200);
  await reason('add', '--code', '1', '--name', 'Goods in', '--operations', 'receive count');
  await reason('add', '--code', '2', '--name', 'Picked', '--operations', 'issue');
  expect(await reason('enforce', 'on')).toEqual({
    ...done('reasons that are not listed are refused from now on\n'),
    stderr: 'warning: in use lately, and not listed: 1 (issue), 30 (issue)\n',
  });
});
