import type { Sql, Tx } from '@inventory/postgres/pool';
import { type Compared, compareLevels, compareLots, type Drift } from './compare-stock.ts';

/** The state of the background audit. */
export type AuditState = {
  /** The number of places that disagreed when they were last compared, at most 1,000. */
  driftCount: number;
  /** Seconds since the last full pass ended; before the first one, since the tables were created. */
  ageSeconds: number;
};

export type AuditSlice = AuditState & {
  /** Places that this slice found and that were not known before. */
  found: Drift[];
  /** The number of lots or levels compared; null: the slice is not due, or another worker is comparing. */
  rows: number | null;
  /** How long Postgres took to compare them, in milliseconds. */
  tookMs: number;
  /** Milliseconds until the next slice is due. */
  dueInMs: number;
};

export type AuditPace = {
  /** The most lots or levels in a slice. */
  rowsMax: number;
  /**
   * The part of the time in which slices run: with 0.02, a slice of 20 ms is followed by a second of rest.
   */
  partOfTime: number;
  /** Milliseconds from the end of a pass to the beginning of the next. */
  restMs: number;
};

// Any number that nothing else on this database uses.
const lockKey = 7_316_021;
// More places add no information.
const driftMax = 1000;
const driftOfSliceMax = 100;

/**
 * Compares the next lots with their entries, or the next levels with their lots. Does nothing if the slice is
 * not due or another worker is comparing; only one works at a time. One statement reads everything that is
 * compared, so it is of one moment: a batch that commits meanwhile is included completely or not at all.
 * Holds nothing that a batch waits for.
 */
export async function auditSlice(sql: Sql, pace: AuditPace): Promise<AuditSlice> {
  return sql.begin(async (tx) => {
    const [turn] = await tx<{ mine: boolean }[]>`
      select pg_try_advisory_xact_lock(${lockKey}::bigint) as mine,
        -- Forces the indexes, however cheap a plan looks that reads whole tables.
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

/** The first of the places that disagree, with the shortIDs of their items. */
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

/** The number of places that disagree, as far as the audit knows. */
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

/** Compares the next lots and records the progress. */
async function auditLots(tx: Tx, { lot_after, lot_until }: Progress, rowsMax: number): Promise<Compared> {
  const until = lot_until ?? (await beginWithLots(tx));
  const compared = await compareLots(tx, { after: lot_after, until, rowsMax });
  if (compared.last !== null) await tx`update audit_progress set lot_after = ${compared.last.recNo}`;
  return compared;
}

/** The newest lot when the pass begins; entries show it even if it was deleted. */
async function beginWithLots(tx: Tx): Promise<number> {
  const [row] = await tx<{ until: number }[]>`
    update audit_progress
    set lot_until = coalesce(greatest((select max(rec_no) from lot), (select max(rec_no) from stock_entry)), 0)
    returning lot_until as until`;
  return row!.until;
}

/** Compares the next levels and records the progress. */
async function auditLevels(tx: Tx, progress: Progress, rowsMax: number): Promise<Compared> {
  const after = { partNo: progress.level_after_part_no!, wid: progress.level_after_wid! };
  const compared = await compareLevels(tx, { after, rowsMax });
  const { last } = compared;
  if (last !== null)
    await tx`update audit_progress set level_after_part_no = ${last.partNo}, level_after_wid = ${last.wid}`;
  return compared;
}

/** Stores what was found, and returns the places that were not known before. */
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
      do update set expected = excluded.expected, found = excluded.found, last_seen = greatest(now(), (select pass_started from audit_progress))
    returning case when first_seen = last_seen then check_name || '/' || part_no || '/' || wid || '/' || rec_no end as key`;
  const fresh = new Set(rows.map(({ key }) => key));
  return noted.filter(({ check, partNo, wid, recNo }) => fresh.has(`${check}/${partNo}/${wid}/${recNo}`));
}

/** Goes on with the levels, or starts again with the lots. Places that were not found again are removed. */
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
