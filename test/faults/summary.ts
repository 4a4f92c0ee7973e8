import type { ClientPrograms } from './client-programs.ts';
import type { Strike } from './judge.ts';
import type { ClientFindings } from './judge-clients.ts';
import type { Read, Told } from './told.ts';

const countOf = (log: readonly Told[]) => {
  const count = (said: Told['told']) => log.filter(({ told }) => told === said).length;
  const unavailable = log.filter(({ status }) => status >= 500).length;
  return [count('yes'), count('no'), unavailable, count('unknown'), count('lost'), count('cut')];
};

/** A table of the requests by kind, with their answers. */
export function kindsText(log: readonly Told[], reads: readonly Read[]): string {
  const nameOf = ({ kind, batch }: Told) => (batch === null ? kind : `in a batch (${batch}): ${kind}`);
  const kinds = [...new Set(log.map(nameOf))].sort();
  const lines: (string | number)[][] = kinds.map((kind) => [
    kind,
    ...countOf(log.filter((each) => nameOf(each) === kind)),
  ]);
  const failed = reads.filter((each) => each.failed);
  const lost = failed.filter(({ status }) => status === 0).length;
  lines.push(['read', reads.length - failed.length, '', failed.length - lost, '', lost, '']);
  return table([['kind of request', 'yes', 'no', 'of these 5xx', 'unknown', 'lost', 'cut'], ...lines]);
}

/** A table of the faults by kind, with the longest time each took to pass. */
export function faultsText(
  log: readonly Told[],
  reads: readonly Read[],
  strikes: readonly (Strike & { firstMs: number })[],
): string {
  const names = [...new Set(strikes.map(({ fault }) => fault.name))].sort();
  const lines = names.map((name) => {
    const ours = strikes.filter(({ fault }) => fault.name === name);
    const isMet = ({ at, tookMs }: { at: number; tookMs: number }) =>
      ours.some(({ from, until }) => at <= until + 1000 && at + tookMs >= from);
    const failed = reads.filter((each) => each.failed && isMet(each)).length;
    const firstMs = Math.max(...ours.map((each) => each.firstMs));
    const back = firstMs === Number.POSITIVE_INFINITY ? 'never' : `${firstMs.toFixed(0)} ms`;
    return [name, ours.length, ...countOf(log.filter(isMet)), failed, back];
  });
  const head = ['fault', 'times', 'yes', 'no', 'of these 5xx', 'unknown', 'lost', 'cut', 'reads failed'];
  return table([[...head, 'back at most after'], ...lines]);
}

/** The work of the programs that use the client, and the faults found in it. */
export function clientsText(clients: ClientPrograms, { found, told }: ClientFindings): string {
  const counts = Object.entries(found).map(([what, each]) => `${what} ${each.length}`);
  return (
    `programs: ${clients.count()} operations, ${told.stored} of them stored on disk; applied ${told.applied}, given up ${told.notApplied}, ` +
    `unknown at first ${told.unknown}; killed ${clients.killedCount()} times, kept out of a queue in use ${clients.rivalCount()} times, ${clients.faultCount()} faults of their network, disk full ${clients.fullCount()} times\n` +
    `programs: ${counts.join(', ')}, ended by themselves ${clients.problems.length}`
  );
}

function table(lines: readonly (readonly (string | number)[])[]): string {
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => `${line[column]}`.length)));
  const pad = (cell: string | number, column: number) =>
    column === 0 ? `${cell}`.padEnd(widths[0]!) : `${cell}`.padStart(widths[column]!);
  return lines.map((line) => line.map(pad).join('  ')).join('\n');
}
