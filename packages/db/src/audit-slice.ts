import type { Sql, Tx } from './client.ts';

/** A place where levels, lots and entries do not agree; quantities as decimal text. */
export type Drift = {
  check: string;
  partNo: number;
  wid: number;
  /** 0: the level itself. */
  recNo: number;
  expected: string;
  found: string;
};

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
      select pg_try_advisory_xact_lock(${lockKey}::bigint) as mine`;
    const progress = await readProgress(tx);
    if (!turn!.mine || progress.due_in_ms > 0) {
      const dueInMs = Math.max(progress.due_in_ms, 0);
      return { ...(await readAuditState(tx)), found: [], rows: null, tookMs: 0, dueInMs };
    }
    const startedAt = performance.now();
    const { rows, drift } =
      progress.level_after_part_no === null
        ? await compareLots(tx, progress, pace.rowsMax)
        : await compareLevels(tx, progress, pace.rowsMax);
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

type Compared = { rows: number; drift: Drift[] };
type ComparedRow = { rows: number; last: unknown; drift: Drift[] | null };

/** The next lots: their units against the sum of their entries, and whether these are of the lot's gate. */
async function compareLots(tx: Tx, { lot_after, lot_until }: Progress, rowsMax: number): Promise<Compared> {
  const until = lot_until ?? (await beginWithLots(tx));
  const [row] = await tx<(ComparedRow & { last_rec_no: number | null })[]>`
    with slice as materialized (
      select rec_no, part_no, wid, units
      from lot
      where rec_no > ${lot_after} and rec_no <= ${until}
      order by rec_no
      limit ${rowsMax}
    ), compared as (
      select slice.rec_no, slice.part_no, slice.wid, slice.units, entries.units as entered, entries.elsewhere
      from slice
      cross join lateral (
        select coalesce(sum(delta), 0) as units,
          count(*) filter (where entry.part_no <> slice.part_no or entry.wid <> slice.wid) as elsewhere
        from stock_entry as entry
        where entry.rec_no = slice.rec_no
      ) as entries
    ), different as (
      select 'units = entries, per lot' as check, part_no, wid, rec_no, units as expected, entered as found
      from compared
      where units <> entered
      union all
      select 'entries of a lot are of its item and warehouse', part_no, wid, rec_no, 0, elsewhere
      from compared
      where elsewhere > 0
    )
    select (select count(*) from slice)::integer as rows, (select max(rec_no) from slice) as last_rec_no,
      (select json_agg(json_build_object('check', "check", 'partNo', part_no, 'wid', wid, 'recNo', rec_no,
        'expected', expected::text, 'found', found::text)) from different) as drift`;
  const { rows, last_rec_no, drift } = row!;
  if (last_rec_no !== null) await tx`update audit_progress set lot_after = ${last_rec_no}`;
  return { rows, drift: drift ?? [] };
}

/** The newest lot of the pass that begins. */
async function beginWithLots(tx: Tx): Promise<number> {
  const [row] = await tx<{ until: number }[]>`
    update audit_progress
    set lot_until = (select coalesce(max(rec_no), 0) from lot)
    returning lot_until as until`;
  return row!.until;
}

/** The next levels: what is in stock and on hold against the sums of the lots behind each. */
async function compareLevels(tx: Tx, progress: Progress, rowsMax: number): Promise<Compared> {
  const [row] = await tx<(ComparedRow & { last_part_no: number | null; last_wid: number | null })[]>`
    with slice as materialized (
      select part_no, wid, in_stock, on_hold
      from stock_level
      where (part_no, wid) > (${progress.level_after_part_no}::integer, ${progress.level_after_wid}::integer)
      order by part_no, wid
      limit ${rowsMax}
    ), compared as (
      select slice.part_no, slice.wid, slice.in_stock, slice.on_hold, lots.units, lots.held
      from slice
      cross join lateral (
        select coalesce(sum(units), 0) as units, coalesce(sum(units) filter (where hold), 0) as held
        from lot
        where lot.part_no = slice.part_no and lot.wid = slice.wid and active
      ) as lots
    ), different as (
      select 'in stock = lots, per item and warehouse' as check, part_no, wid, in_stock as expected, units as found
      from compared
      where in_stock <> units
      union all
      select 'on hold = held lots, per item and warehouse', part_no, wid, on_hold, held
      from compared
      where on_hold <> held
    ), last as (
      select part_no, wid from slice order by part_no desc, wid desc limit 1
    )
    select (select count(*) from slice)::integer as rows, (select part_no from last) as last_part_no,
      (select wid from last) as last_wid,
      (select json_agg(json_build_object('check', "check", 'partNo', part_no, 'wid', wid, 'recNo', 0,
        'expected', expected::text, 'found', found::text)) from different) as drift`;
  const { rows, last_part_no, last_wid, drift } = row!;
  if (last_part_no !== null) {
    await tx`update audit_progress set level_after_part_no = ${last_part_no}, level_after_wid = ${last_wid}`;
  }
  return { rows, drift: drift ?? [] };
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
