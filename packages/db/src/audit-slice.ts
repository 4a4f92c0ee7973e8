import { type Compared, compareLevels, compareLots, type Drift } from './compare-stock.ts';
import type { Sql, Tx } from './pool.ts';

/** The state of the audit in the background. */
export type AuditState = {
  /** Places that did not agree when they were looked at last; at most 1,000. */
  driftCount: number;
  /** Since the last full pass ended; before the first one, since the tables were made. Seconds. */
  ageSeconds: number;
};

export type AuditSlice = AuditState & {
  /** The places that this slice found and that were not known before. */
  found: Drift[];
  /** Lots or levels that were looked at; null: it was not time, or another worker looks at this moment. */
  rows: number | null;
  /** How long Postgres took to compare them, milliseconds. */
  tookMs: number;
  /** Milliseconds until the next slice is due. */
  dueInMs: number;
};

export type AuditPace = {
  /** Lots, or levels, of a slice at most. */
  rowsMax: number;
  /** The part of the time in which a slice is under way: a slice of 20 ms at 0.02 has a second behind it. */
  partOfTime: number;
  /** From the end of a pass to the beginning of the next, milliseconds. */
  restMs: number;
};

// Any number will do, as long as nobody else on this database takes it.
const lockKey = 7_316_021;
// More places say nothing more.
const driftMax = 1000;
const driftOfSliceMax = 100;

/**
 * Compares the next lots with their entries, or the next levels with their lots, unless it is not time for it
 * or another worker does: one of all looks at a time. What is compared is read by one statement, so it is of
 * one moment, and a batch that commits meanwhile is in it as a whole or not at all. A batch waits for nothing
 * that this holds.
 */
export async function auditSlice(sql: Sql, pace: AuditPace): Promise<AuditSlice> {
  return sql.begin(async (tx) => {
    const [turn] = await tx<{ mine: boolean }[]>`
      select pg_try_advisory_xact_lock(${lockKey}::bigint) as mine,
        -- However cheap a plan looks that reads whole tables, a slice goes by their indexes.
        set_config('enable_hashjoin', 'off', true) as hashes, set_config('enable_mergejoin', 'off', true) as merges`;
    const progress = await readProgress(tx);
    if (!turn!.mine || progress.due_in_ms > 0) {
      const dueInMs = Math.max(progress.due_in_ms, 0);
      return { ...(await readAuditState(tx)), found: [], rows: null, tookMs: 0, dueInMs };
    }
    const startedAt = performance.now();
    const { rows, drift } =
      progress.level_after_part_no === null
        ? await auditLots(tx, progress, pace.rowsMax)
        : await auditLevels(tx, progress, pace.rowsMax);
    const tookMs = performance.now() - startedAt;
    const isAtEnd = rows < pace.rowsMax && progress.level_after_part_no !== null;
    const found = await noteDrift(tx, drift);
    if (rows < pace.rowsMax) await turnTo(tx, isAtEnd ? 'lots' : 'levels');
    const dueInMs = isAtEnd ? pace.restMs : tookMs / pace.partOfTime;
    await tx`update audit_progress set due = clock_timestamp() + make_interval(secs => ${dueInMs / 1000}::float8)`;
    return { ...(await readAuditState(tx)), found, rows, tookMs, dueInMs };
  });
}

/** Reads the state of the audit. */
export async function readAuditState(sql: Sql | Tx): Promise<AuditState> {
  const [row] = await sql<{ drift_count: number; age_seconds: number }[]>`
    select (select count(*) from audit_drift)::integer as drift_count,
      extract(epoch from clock_timestamp() - coalesce(pass_finished, pass_started))::float8 as age_seconds
    from audit_progress`;
  return { driftCount: row!.drift_count, ageSeconds: row!.age_seconds };
}

/** The first of the places that did not agree, by their items' ShortIDs. */
export async function listDrift(
  sql: Sql,
  limit: number,
): Promise<(Drift & { itemId: string; firstSeen: Date })[]> {
  return sql<(Drift & { itemId: string; firstSeen: Date })[]>`
    select check_name as check, part_no as "partNo", wid, rec_no as "recNo", expected::text, found::text,
      short_id as "itemId", first_seen as "firstSeen"
    from audit_drift
    join item using (part_no)
    order by first_seen, part_no, wid, rec_no, check_name
    limit ${limit}`;
}

/** How many places do not agree, as far as the audit knows. */
export async function countDrift(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::integer as count from audit_drift`;
  return row!.count;
}

type Progress = {
  lot_after: number;
  lot_until: number | null;
  level_after_part_no: number | null;
  level_after_wid: number | null;
  due_in_ms: number;
};

async function readProgress(tx: Tx): Promise<Progress> {
  const [row] = await tx<Progress[]>`
    select lot_after, lot_until, level_after_part_no, level_after_wid,
      (extract(epoch from due - clock_timestamp()) * 1000)::float8 as due_in_ms
    from audit_progress`;
  return row!;
}

/** Compares the next lots; remembers how far it came. */
async function auditLots(tx: Tx, { lot_after, lot_until }: Progress, rowsMax: number): Promise<Compared> {
  const until = lot_until ?? (await beginWithLots(tx));
  const compared = await compareLots(tx, { after: lot_after, until, rowsMax });
  if (compared.last !== null) await tx`update audit_progress set lot_after = ${compared.last.recNo}`;
  return compared;
}

/** The newest lot of the pass that begins. */
async function beginWithLots(tx: Tx): Promise<number> {
  const [row] = await tx<{ until: number }[]>`
    update audit_progress
    set lot_until = (select coalesce(max(rec_no), 0) from lot)
    returning lot_until as until`;
  return row!.until;
}

/** Compares the next levels; remembers how far it came. */
async function auditLevels(tx: Tx, progress: Progress, rowsMax: number): Promise<Compared> {
  const after = { partNo: progress.level_after_part_no!, wid: progress.level_after_wid! };
  const compared = await compareLevels(tx, { after, rowsMax });
  const { last } = compared;
  if (last !== null)
    await tx`update audit_progress set level_after_part_no = ${last.partNo}, level_after_wid = ${last.wid}`;
  return compared;
}

/** Keeps what was found; returns what was not known. */
async function noteDrift(tx: Tx, drift: readonly Drift[]): Promise<Drift[]> {
  if (drift.length === 0) return [];
  const noted = drift.slice(0, driftOfSliceMax);
  const known = await tx<{ count: number }[]>`select count(*)::integer as count from audit_drift`;
  const rows = await tx<{ key: string }[]>`
    insert into audit_drift as known (check_name, part_no, wid, rec_no, expected, found)
    select "check", "partNo", wid, "recNo", expected::numeric, found::numeric
    from json_to_recordset(${JSON.stringify(noted)}::text::json)
      as given ("check" text, "partNo" integer, wid integer, "recNo" bigint, expected text, found text)
    where ${known[0]!.count}::integer < ${driftMax} or exists (
      select from audit_drift as same
      where same.check_name = "check" and same.part_no = "partNo" and same.wid = given.wid and same.rec_no = "recNo"
    )
    on conflict (check_name, part_no, wid, rec_no)
      do update set expected = excluded.expected, found = excluded.found, last_seen = now()
    returning case when first_seen = last_seen then check_name || '/' || part_no || '/' || wid || '/' || rec_no end as key`;
  const fresh = new Set(rows.map(({ key }) => key));
  return noted.filter(({ check, partNo, wid, recNo }) => fresh.has(`${check}/${partNo}/${wid}/${recNo}`));
}

/** Goes on with the levels, or begins anew with the lots; what was not found again is mended. */
async function turnTo(tx: Tx, next: 'lots' | 'levels'): Promise<void> {
  if (next === 'levels') {
    await tx`update audit_progress set level_after_part_no = 0, level_after_wid = 0`;
    return;
  }
  await tx`delete from audit_drift where last_seen < (select pass_started from audit_progress)`;
  await tx`
    update audit_progress
    set lot_after = 0, lot_until = null, level_after_part_no = null, level_after_wid = null, pass_finished = now(), pass_started = now()`;
}
