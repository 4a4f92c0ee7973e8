import { scansMax } from '@inventory/domain/contract/scan';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  breaks,
  digitalLink,
  elementString,
  inBrackets,
  someElements,
  someLink,
} from '../harness/codes/gs1-codes.ts';
import { useService } from '../harness/service/service.ts';

const service = useService();

// Codes in one call, so that it stays below 64 KB.
const together = Math.min(120, scansMax);

type Element = { ai: string; value: string };

/** The elements of each code as the service reads them; null: it is not read as GS1. */
async function readAll(codes: readonly string[]): Promise<(Element[] | null)[]> {
  const client = await service.client({ rateLimit: 100_000 });
  const read: (Element[] | null)[] = [];
  for (let from = 0; from < codes.length; from += together) {
    const scans = codes.slice(from, from + together).map((data) => ({ data }));
    const { status, body, text } = await client.post('/Scan', { scans });
    expect(status, text.slice(0, 300)).toBe(200);
    for (const { gs1 } of body.results)
      read.push(gs1 === null ? null : gs1.elements.map(({ ai, value }: Element) => ({ ai, value })));
  }
  return read;
}

const short = (code: string) => code.length <= 500;

test('200: valid codes are read back exactly, in every form', async () => {
  const elements = fc.sample(someElements, 600).filter((each) => short(elementString(each)));
  const links = fc.sample(someLink, 600).filter((each) => short(digitalLink(each)));
  expect(await readAll(elements.map((each) => `]C1${elementString(each)}`))).toEqual(elements);
  expect(await readAll(elements.map(inBrackets))).toEqual(elements);
  expect(await readAll(links.map(digitalLink))).toEqual(
    links.map(({ inPath, inQuery }) => [...inPath, ...inQuery]),
  );
});

test('200: broken codes are not taken, and any text is answered', async () => {
  const broken = Object.values(breaks).flatMap((breakIt) =>
    fc.sample(fc.tuple(someElements, fc.nat()), 150).flatMap(([given, pick]) => {
      const bad = breakIt(given, pick);
      return bad === null || !short(inBrackets(bad)) ? [] : [inBrackets(bad)];
    }),
  );
  expect(broken.length).toBeGreaterThan(300);
  expect(await readAll(broken)).toEqual(broken.map(() => null));
  const any = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 60 })
    .filter((text) => text.isWellFormed() && !text.includes('\u0000'));
  expect(await readAll(fc.sample(any, 500))).toHaveLength(500);
});
