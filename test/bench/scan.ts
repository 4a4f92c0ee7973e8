import { checkDigitOf } from '@inventory/domain/scan/check-digits';
import { nodeOptions } from '@inventory/process/settings/node-options';
import { readOptions } from '../harness/read-options.ts';
import { fetchToken } from '../harness/service/caller.ts';
import { startProbedApi } from '../harness/service/probed-api.ts';
import { startProcess } from '../harness/service/processes.ts';
import { medianOf, runLoad } from './load.ts';
import { atMost, marksTable } from './report.ts';
import { one, receive } from './requests.ts';
import { makeDatabase } from './site.ts';
import { startBenchStack } from './stack.ts';
import { ways } from './ways.ts';

// pnpm bench scan [--items 100000] [--lots 1000000] [--rounds 20]: 500 codes in one call,
// beside a lone receipt. The time at
// one stretch is that of the processor, so other programs do not lengthen it.
const values = readOptions('bench scan', 'Measures 500 codes in one call, and prints the figures.', {
  items: { value: 'number', default: '100000', about: 'items, of which half have an alias' },
  lots: { value: 'number', default: '1000000', about: 'lots' },
  rounds: { value: 'number', default: '20', about: 'calls of each kind' },
});
const items = Number(values.items);
const lots = Number(values.lots);
const rounds = Number(values.rounds);
const aliases = Math.ceil(items / 2);
const codesMax = 500;
// Another lot with the same number for each of these items: more than an answer has matches.
const sharedBy = 30;

const gtinOf = (n: number) => {
  const digits = `0400${String(n).padStart(9, '0')}`;
  return digits + checkDigitOf(digits);
};
const any = (count: number) => Math.floor(Math.random() * count);

/** Codes by what they are; the last have the largest answers. */
const kinds: Record<string, () => string> = {
  labels: () => {
    const n = any(aliases);
    return `]C101${gtinOf(n)}1731063010L-${n}\u001d3012`;
  },
  names: () => [`ITEM-${any(items)}`, `L-${any(lots)}`, `P-${any(lots)}`][any(3)]!,
  unknown: () => `NONE-${any(items)}`,
  'lots of one number': () => `SHARED-${any(100)}`,
};

const stack = await startBenchStack();
const { url, sql, secret } = await makeDatabase(stack, 'bench_scan');
await sql`
  insert into item (short_id, description, created_by)
  select 'ITEM-' || n, 'Description of item ' || n, 'bench' from generate_series(0, ${items - 1}::integer) as n`;
await sql`
  insert into item_alias (alias, part_no)
  select gtin, item.part_no
  from unnest(${Array.from({ length: aliases }, (_, n) => gtinOf(n))}::text[]) with ordinality as named (gtin, nth)
  join item on item.short_id = 'ITEM-' || nth - 1`;
// Without a ledger, which a scan does not read.
await sql`
  insert into lot (part_no, wid, spot, units, serial, received, modified)
  select item.part_no, 1, 'P-' || n, 0.5, 'L-' || n, now(), now()
  from generate_series(0, ${lots - 1}::integer) as n
  join item on item.short_id = 'ITEM-' || n % ${items}::integer`;
await sql`
  insert into lot (part_no, wid, spot, units, serial, received, modified)
  select 1 + n, 1, 'S', 0.5, 'SHARED-' || n % 100, now(), now()
  from generate_series(0, ${100 * sharedBy - 1}::integer) as n`;
await sql`analyze`;

const env = {
  ...{ DATABASE_URL: url, REDIS_URL: stack.redisUrl, QUEUE_PREFIX: 'bench_scan', RATE_LIMIT: '1000000' },
  PORT: '0',
};
const worker = await startProcess(ways.ours.worker!, env, { nodeOptions });
const api = await startProbedApi(env);
const origin = `http://127.0.0.1:${api.port}`;
const token = await fetchToken(origin, 'bench', secret);
const lines: string[] = [];
let stretchMs = 0;
let callMs = 0;
try {
  const lone = await runLoad({ origin, token, callers: 1, seconds: 3, warmUpSeconds: 2, next: receive(one) });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  for (const [kind, next] of Object.entries(kinds)) {
    const seen = { stretch: [] as number[], worked: [] as number[], call: [] as number[] };
    let bytes = 0;
    for (let round = -3; round < rounds; round++) {
      const scans = Array.from({ length: codesMax }, () => ({ data: next() }));
      await api.measure();
      const startedAt = performance.now();
      const answer = await fetch(`${api.baseUrl}/Scan`, {
        ...{ method: 'POST', headers },
        body: JSON.stringify({ scans }),
      });
      const text = await answer.text();
      const took = performance.now() - startedAt;
      if (answer.status !== 200) throw new Error(`${answer.status} ${text}`);
      const { stretchMs, workedMs } = await api.measure();
      bytes = text.length;
      // The first ones are compiled.
      if (round < 0) continue;
      seen.stretch.push(stretchMs);
      seen.worked.push(workedMs);
      seen.call.push(took);
    }
    const [stretch, worked, call] = [seen.stretch, seen.worked, seen.call].map(medianOf) as [
      number,
      number,
      number,
    ];
    stretchMs = Math.max(stretchMs, stretch);
    if (kind === 'labels') callMs = call;
    lines.push(
      `${kind.padEnd(20)} call ${call.toFixed(1)} ms, api ${worked.toFixed(1)} ms, at one stretch ${stretch.toFixed(1)} ms, ` +
        `${(bytes / 1e6).toFixed(2)} MB`,
    );
  }
  lines.push(`a lone receipt: p50 ${lone.p50Ms.toFixed(1)} ms`);
  const marks = [
    atMost(`ms of the event loop at one stretch, ${codesMax} codes`, stretchMs, 50),
    atMost(`a call of ${codesMax} labels / p50 of a lone receipt`, callMs / lone.p50Ms, 12),
  ];
  console.log(
    `\n${items} items, ${aliases} aliases, ${lots} lots\n${lines.join('\n')}\n\n${marksTable(marks)}`,
  );
} finally {
  await api.stop();
  await worker.stop();
  await sql.end();
  await stack.stop();
}
