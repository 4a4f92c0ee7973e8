import { setTimeout } from 'node:timers/promises';
import type { CDPSession, Page } from 'playwright-core';

/**
 * Milliseconds between two keys: of a person, of a person who types fast, of a scanner, and of a slow one.
 */
export const pace = { hand: 120, fastHand: 70, scanner: 5, slowScanner: 30 };

// The pause before the first key, of a person or a scanner.
const pauseMs = 300;

/** Of the page. */
declare const document: { addEventListener(...listening: [string, (event: Event) => void, object]): void };

type Hands = { session: CDPSession; at: number };
const handsOf = new WeakMap<Page, Promise<Hands>>();

const special: Record<string, object> = {
  Enter: { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' },
  Tab: { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 },
  Backspace: { key: 'Backspace', code: 'Backspace', windowsVirtualKeyCode: 8 },
  // FNC1, as scanners type it.
  '\u001d': { key: ']', code: 'BracketRight', windowsVirtualKeyCode: 221, modifiers: 2 },
};

// The codes of signs are those of other keys, such as Delete.
const codeOf = (key: string) => (/[a-z\d]/i.test(key) ? key.toUpperCase().charCodeAt(0) : 0);

type How = { gapMs?: number; since?: number; isBusy?: boolean };

/**
 * Presses keys, one after the other. The browser is told when each was pressed, so a slow machine makes no
 * scanner slow. Names of keys stand beside characters. `since`: when the first was pressed, if not now or
 * when a person has seen the page. `isBusy`: the page gets them at once, as one that was busy does.
 */
export async function press(page: Page, keys: readonly string[], how: How = {}): Promise<void> {
  const { gapMs = pace.hand, since, isBusy = false } = how;
  const known =
    handsOf.get(page) ??
    page
      .context()
      .newCDPSession(page)
      .then((session) => ({ session, at: 0 }));
  handsOf.set(page, known);
  const hands = await known;
  const begins = 'performance.timeOrigin + (window.earlyKeys?.since ?? 0)';
  const shownAt = since === undefined ? Number(await page.evaluate(begins)) : 0;
  let at = since ?? Math.max(Date.now(), Math.max(hands.at, shownAt) + pauseMs);
  const taken: Promise<unknown>[] = [];
  for (const key of keys) {
    const shown = special[key] ?? { key, text: key, windowsVirtualKeyCode: codeOf(key) };
    for (const type of ['keyDown', 'keyUp'] as const) {
      const { text, ...rest } = shown as { text?: string };
      const typed = type === 'keyDown' && text !== undefined ? { text } : {};
      const event = { type, ...rest, ...typed, timestamp: at / 1000 };
      taken.push(hands.session.send('Input.dispatchKeyEvent', event));
      if (!isBusy) await taken.at(-1);
    }
    hands.at = at;
    at += gapMs;
  }
  await Promise.all(taken);
  // The driver's own keys carry the present time, so they must come after these.
  await setTimeout(Math.max(0, hands.at + pauseMs - Date.now()));
}

/** Presses keys as a hand does, on a page that is too busy to take them one by one. */
export function pressAtOnce(page: Page, ...keys: string[]): Promise<void> {
  return press(page, keys, { isBusy: true });
}

/** Types a text as a person does, into whatever has the focus; then presses these keys. */
export function typeByHand(page: Page, text: string, ...then: string[]): Promise<void> {
  return press(page, [...text, ...then]);
}

/** Scans as a scanner that types does: fast keys that end in Enter, wherever the focus is. */
export function wedge(page: Page, code: string, how: How = {}): Promise<void> {
  return press(page, [...code, 'Enter'], { gapMs: pace.scanner, ...how });
}

/** Types and presses Enter as fast as hands can. */
export function typeFast(page: Page, text: string): Promise<void> {
  return press(page, [...text, 'Enter'], { gapMs: pace.fastHand });
}

/** Puts a whole code in at once and ends it with Enter, as some devices do. */
export async function putIn(page: Page, code: string): Promise<void> {
  const seen = await page.evaluateHandle(() => {
    const at = new Promise<number>((resolve) => {
      const tell = ({ timeStamp }: Event) => resolve(performance.timeOrigin + timeStamp);
      document.addEventListener('beforeinput', tell, { once: true, capture: true });
    });
    return { at };
  });
  await page.keyboard.insertText(code);
  const at = await seen.evaluate(({ at }) => at);
  await press(page, ['Enter'], { since: at + pace.scanner });
}
