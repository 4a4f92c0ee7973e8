import type { Subject } from '@inventory/domain/kinds/kind';
import { kinds as singleKinds } from '@inventory/domain/kinds/kinds';
import type {
  AtomicOperation,
  AtomicRequest,
  Evidence,
  QueuedRequest,
  RequestKey,
} from '@inventory/domain/request';

// The version of envelopes in which each kind of request and each of its fields was introduced. A worker
// leaves what it does not know to others, so nothing that a caller sent is dropped while both versions run
// (docs/decisions/0023). A new kind and a new field get the next number, and so does a change that an older
// worker would misread. Whoever adds one without its number cannot compile.

type Fields = Readonly<Record<string, number>>;
type NamesOf<T> = T extends unknown ? keyof T : never;
/** Each field of any of these types, with its version. */
type Since<T> = Readonly<Record<NamesOf<T> & string, number>>;

const request: Since<QueuedRequest | AtomicOperation> = {
  ...{ requestId: 1, xRequestId: 1, trace: 1, clientId: 1, deadline: 1, key: 1, after: 1, evidence: 1 },
  ...{ kind: 1, body: 1, sentName: 1, of: 1, operations: 1, ownKey: 1 },
};
const key: Since<RequestKey> = { digest: 1, fingerprint: 1, askedAt: 1 };
const after: Since<NonNullable<QueuedRequest['after']>> = { requestId: 1, key: 1 };
const evidence: Since<Evidence> = { capturedAt: 1, correctedAt: 1, deviceId: 1, deviceSeq: 1 };
const subject: Since<Subject> = { kind: 1, itemID: 1, wids: 1, lines: 1 };

// Those of single transactions stand with their kinds.
const kinds: Readonly<Record<string, { since: number; fields: Fields }>> = {
  ...singleKinds,
  batch: { since: 1, fields: { mode: 1, count: 1, digest: 1 } satisfies Since<AtomicRequest['body']> },
};

/** The version that this code knows: the newest of all. */
export const knownVersion = Math.max(
  ...[request, key, after, evidence, subject].flatMap((fields) => Object.values(fields)),
  ...Object.values(kinds).flatMap(({ since, fields }) => [since, ...Object.values(fields)]),
);
/** Of what this code does not know. */
const later = knownVersion + 1;

/** The version that a worker must know to apply this request. A value that is none has the first. */
export function versionOfRequest(value: unknown): number {
  if (!isObject(value)) return 1;
  const { kind, operations } = value;
  if (typeof kind !== 'string') return 1;
  if (!Object.hasOwn(kinds, kind)) return later;
  const { since, fields } = kinds[kind]!;
  let version = Math.max(since, versionOfFields(value, request), versionOfFields(value.body, fields));
  // A reversal needs a worker that knows the kind that it reverses.
  if (isObject(value.of)) version = Math.max(version, versionOfRequest({ kind: value.of.kind }));
  version = Math.max(version, versionOfFields(value.key, key), versionOfFields(value.evidence, evidence));
  version = Math.max(version, versionOfFields(value.of, subject), versionOfFields(value.after, after));
  if (isObject(value.after)) version = Math.max(version, versionOfFields(value.after.key, key));
  if (Array.isArray(operations))
    for (const each of operations) version = Math.max(version, versionOfRequest(each));
  return version;
}

function versionOfFields(value: unknown, since: Fields): number {
  let version = 1;
  if (!isObject(value)) return version;
  for (const name in value) {
    // An optional field that is not set does not travel.
    if (value[name] !== undefined)
      version = Math.max(version, Object.hasOwn(since, name) ? since[name]! : later);
  }
  return version;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
