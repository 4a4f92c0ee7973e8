import { createHmac, timingSafeEqual } from 'node:crypto';
import type { QueuedRequest } from '@inventory/domain/request';
import { siteOf } from './answer-streams.ts';
import { type EnvelopeResult, envelopeVersionOf, isKnownEnvelope } from './envelope.ts';
import type { EnvelopeKey, EnvelopeKeys } from './envelope-keys.ts';

// A process that can write to Redis could add work in a client's name, or send an api an answer for work that
// was not done. So envelopes and answers are signed for their job and queue. They are not valid for another
// job, in another queue, or as the other kind.

/** The number of the key, and HMAC-SHA256 in base64url. */
export type Signature = { key: number; mac: string };

/** The id of a job and its queue, as the beginning of the queue's keys in Redis. */
export type Place = { queue: string; jobId: string };

/** The data of one job. `version`: see envelope.ts. */
export type SignedEnvelope = { requests: QueuedRequest[]; version: number } & Signature;

/** The result of a job. */
export type SignedAnswer = { results: EnvelopeResult } & Signature;

/** Signs requests, for the api. */
export function signEnvelope(
  keys: EnvelopeKeys,
  place: Place,
  requests: QueuedRequest[],
  version: number = envelopeVersionOf(requests),
): SignedEnvelope {
  const text = JSON.stringify(requests);
  return { requests, version, ...sign(keys.signing(), `envelope ${version}`, place, text) };
}

/**
 * Verifies the data of a job and returns its requests, for the worker. `later`: an api signed something that
 * this version does not know. `foreign`: it is for another database, which has the same keys. null: no api
 * signed it for this place.
 */
export function openEnvelope(
  keys: EnvelopeKeys,
  place: Place,
  data: unknown,
): QueuedRequest[] | 'later' | 'foreign' | null {
  const { requests, version, key: kid, mac } = (data ?? {}) as Partial<SignedEnvelope>;
  if (!Array.isArray(requests) || typeof version !== 'number' || typeof mac !== 'string') return null;
  const key = keys.find(kid);
  // The verified text is made from the very objects that are used, whatever the spelling in Redis. The
  // signature covers the version, so a forger cannot have work left in the queue.
  const text = JSON.stringify(requests);
  if (key === null || !isSignedBy(key, `envelope ${version}`, place, text, mac)) return null;
  if ((siteOf(place.jobId) ?? keys.site()) !== keys.site()) return 'foreign';
  return isKnownEnvelope(version, requests) ? requests : 'later';
}

/** Signs the outcomes of an opened envelope, for the worker. */
export function signAnswer(keys: EnvelopeKeys, place: Place, results: EnvelopeResult): SignedAnswer {
  return { results, ...sign(keys.signing(), 'answer', place, textOf(results)) };
}

/**
 * Verifies the result of a job and returns its outcomes, for the api. null: no worker signed them for this
 * job. Never waits.
 */
export function openAnswer(keys: EnvelopeKeys, place: Place, answer: unknown): EnvelopeResult | null {
  const { results, key: kid, mac } = (answer ?? {}) as Partial<SignedAnswer>;
  if (!Array.isArray(results) || !results.every(Array.isArray) || typeof mac !== 'string') return null;
  const key = keys.find(kid);
  return key !== null && isSignedBy(key, 'answer', place, textOf(results), mac) ? results : null;
}

/**
 * A unique text for these results. Result texts are copied, because JSON of them would cost more than the
 * signature.
 */
function textOf(results: EnvelopeResult): string {
  const shape: unknown[] = [];
  let texts = '';
  for (const [status, result] of results) {
    if (typeof result === 'string') texts += result;
    shape.push(status, typeof result === 'string' ? result.length : [result]);
  }
  return `${JSON.stringify(shape)}\n${texts}`;
}

type SignedKind = 'answer' | `envelope ${number}`;

function sign(key: EnvelopeKey, kind: SignedKind, place: Place, text: string): Signature {
  return { key: key.kid, mac: macOf(key, kind, place, text).toString('base64url') };
}

function isSignedBy(key: EnvelopeKey, kind: SignedKind, place: Place, text: string, mac: string): boolean {
  const given = Buffer.from(mac, 'base64url');
  const right = macOf(key, kind, place, text);
  return given.length === right.length && timingSafeEqual(given, right);
}

function macOf({ secret }: EnvelopeKey, kind: SignedKind, { queue, jobId }: Place, text: string): Buffer {
  // As JSON, so that the borders between the parts are unambiguous.
  return createHmac('sha256', secret)
    .update(`${JSON.stringify([kind, queue, jobId])}\n${text}`)
    .digest();
}
