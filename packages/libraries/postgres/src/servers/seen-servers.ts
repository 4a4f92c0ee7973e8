import { messageOf } from '@inventory/process/log/describe-error';
import { describePlace, readDatabaseAddress } from '@inventory/process/settings/database-address';
import { settingsOf } from '../connection-settings.ts';
import { isOutage } from '../pool.ts';
import { whyAway } from '../unreachable.ts';
import { looksOf } from './hosts.ts';
import { askStanding, type Look, lookAt, type Standing } from './standing.ts';

/** One of several servers of DATABASE_URL. */
export type SeenServer = {
  /** Host and port. */
  server: string;
  role: Standing['role'] | 'away';
  /** Of a primary: each promotion starts the next one. null: not told. */
  timeline: number | null;
  /** How much of the log a standby has not applied yet; null: it is no standby, or does not tell. */
  lagBytes: number | null;
  /** Age of what a standby has applied last; 0 if it has applied everything. null: as for bytes. */
  lagSeconds: number | null;
  /** Why it is away; otherwise null. */
  why: string | null;
};

/** The servers of an address with several hosts, as this process saw them some seconds ago at most. */
export function seenServers(databaseUrl: string): SeenServer[] {
  return serversOf(looksOf(databaseUrl));
}

/** The same, asked now; empty for an address with one host. Takes a few seconds at most, and never fails. */
export async function askServers(databaseUrl: string): Promise<SeenServer[]> {
  const address = readDatabaseAddress(databaseUrl);
  if (address.places.length < 2) return [];
  const settings = settingsOf({ name: 'inventory-primary' });
  const ask = (place: Look['place']) => askStanding(address, place, settings);
  return serversOf(await Promise.all(address.places.map((place) => lookAt(place, ask))));
}

function serversOf(looks: readonly Look[]): SeenServer[] {
  const end = endOfLog(looks.flatMap(({ standing }) => standing ?? []));
  return looks.map(({ place, standing, error }) => ({
    server: describePlace(place),
    role: standing?.role ?? 'away',
    timeline: standing?.role === 'primary' && standing.timeline > 0 ? standing.timeline : null,
    ...lagOf(standing, end),
    why: standing === null ? (isOutage(error) ? whyAway(error) : messageOf(error)) : null,
  }));
}

/** The end of the primary's log; without a primary, of what its standbys have received. */
function endOfLog(standings: readonly Standing[]): number | null {
  const primaries = standings
    .filter(({ role }) => role === 'primary')
    .sort((one, other) => other.timeline - one.timeline);
  if (primaries[0] !== undefined) return primaries[0].applied;
  const received = standings.flatMap((standing) => standing.received ?? []);
  return received.length === 0 ? null : Math.max(...received);
}

function lagOf(standing: Standing | null, end: number | null) {
  if (standing?.role !== 'standby' || standing.applied === null || end === null)
    return { lagBytes: null, lagSeconds: null };
  const lagBytes = Math.max(0, end - standing.applied);
  // Without new transactions, the last one gets older although nothing is missing.
  return { lagBytes, lagSeconds: lagBytes === 0 ? 0 : standing.appliedSecondsAgo };
}

/** The servers that take writes. More than one: the others were not stopped when one was promoted. */
export function primariesOf(servers: readonly SeenServer[]): SeenServer[] {
  return servers.filter(({ role }) => role === 'primary');
}

/** A server in words: `pg-2:5432 is a standby, 120 bytes and 0.4 s behind`. */
export function describeServer({ server, role, timeline, lagBytes, lagSeconds, why }: SeenServer): string {
  switch (role) {
    case 'primary':
      return `${server} is a primary${timeline === null ? '' : ` (timeline ${timeline})`}`;
    case 'standby': {
      if (lagBytes === null) return `${server} is a standby`;
      const seconds = lagSeconds === null ? '' : ` and ${lagSeconds.toFixed(1)} s`;
      return `${server} is a standby, ${lagBytes} bytes${seconds} behind`;
    }
    case 'readOnly':
      return `${server} takes no writes, and is no standby`;
    case 'away':
      return `${server} is away (${why})`;
  }
}

export function describeServers(servers: readonly SeenServer[]): string {
  return servers.map(describeServer).join('; ');
}
