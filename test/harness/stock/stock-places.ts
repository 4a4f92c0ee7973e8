import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { ApiAnswer } from '../service/api-client.ts';
import { type ModelAnswer, notApplied } from './stock-model.ts';

/** The lots and transactions of an item by their places in the model: their numbers, in order. */
export class Places {
  readonly recNos: number[] = [];
  readonly transactionNos: number[] = [];

  /** An answer in the model's terms; remembers the numbers of new lots and transactions. */
  seen({ status, body }: { status: number; body: ApiAnswer['body'] }): ModelAnswer {
    if (status === 503) return notApplied;
    if (status >= 400) {
      return {
        status,
        message: body.details ? Object.keys(body.details).join() : this.inPlaces(body.message),
      };
    }
    const lots =
      status === 201
        ? [{ lot: this.of(body.recNo), units: millionths(body.lot.units) }]
        : body.lots.map((part: Record<string, number> & { spot?: string }) => ({
            lot: this.of(part.recNo!),
            units: millionths(part.units!),
            remaining: millionths(part.remaining!),
            ...(part.fromRecNo === undefined
              ? {}
              : { from: this.of(part.fromRecNo), wid: part.wID!, spot: part.spot! }),
          }));
    if (body.transactionNo !== null) this.transactionNos.push(body.transactionNo);
    expect(body.recNo === null ? null : this.of(body.recNo)).toBe(lots[0]?.lot ?? null);
    if (body.status !== 'counted') return { status, lots };
    return { status, lots, before: millionths(body.before), difference: millionths(body.difference) };
  }

  /** The place of a lot; a new number gets the next place. */
  of(recNo: number | null): number | null {
    if (recNo === null) return null;
    const known = this.recNos.indexOf(recNo);
    return known >= 0 ? known : this.recNos.push(recNo) - 1;
  }

  /** A message with the places of lots and transactions instead of their numbers. */
  private inPlaces(message: string): string {
    return message
      .replace(/(?<=\blots? (?:\d+, )*)\d+/gi, (recNo) => `${this.recNos.indexOf(Number(recNo))}`)
      .replace(/(?<=^Transaction )\d+/, (number) => `${this.transactionNos.indexOf(Number(number))}`);
  }
}

export function millionths(units: number): bigint {
  const [whole = '', fraction = ''] = units.toFixed(6).split('.');
  return BigInt(whole + fraction);
}

/** Fails with the whole history and both answers: a property report has room for only one text. */
export function expectSame(seen: unknown, expected: unknown, asked: unknown) {
  // Most are the same: no text is made of their thousands of lots.
  if (isDeepStrictEqual(seen, expected)) return;
  const text = (value: unknown) =>
    JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? Number(each) : each));
  expect(seen, `${text(asked)}: ${text(seen)}, not ${text(expected)}`).toEqual(expected);
}
