import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

type Credentials = { clientId: string; clientSecret: string };

/**
 * The address of the page for people that signs this client in. Browsers send nothing of what stands behind
 * the `#`. `base`: the address of the service, with or without `/console` or `/api/v1`.
 */
export function signInAddress(base: string, { clientId, clientSecret }: Credentials): string {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/(console|api\/v1)?\/?$/, '')}/console/`;
  url.search = '';
  url.hash = new URLSearchParams({ id: clientId, secret: clientSecret }).toString();
  return url.href;
}

// The quiet zone that a reader needs around a code to find it.
const quietModules = 4;
const blackOnWhite = '\u001b[30;107m';
const usual = '\u001b[0m';

/**
 * A QR code as lines for a terminal, two rows of it in each. `hasColours`: the terminal can be told black and
 * white; otherwise its background is taken for dark.
 */
export async function drawCode(text: string, hasColours: boolean): Promise<string[]> {
  const isDark = await readModules(text);
  const size = isDark.length + 2 * quietModules;
  const isInk = (y: number, x: number) =>
    (isDark[y - quietModules]?.[x - quietModules] ?? false) === hasColours;
  const lines: string[] = [];
  for (let y = 0; y < size; y += 2) {
    const pairs = Array.from({ length: size }, (_, x) => (isInk(y, x) ? 2 : 0) + (isInk(y + 1, x) ? 1 : 0));
    const line = pairs.map((pair) => ' ▄▀█'[pair]).join('');
    lines.push(hasColours ? `${blackOnWhite}${line}${usual}` : line);
  }
  return lines;
}

/** Which modules of the code are dark, row by row. */
async function readModules(text: string): Promise<boolean[][]> {
  // Loaded only here, because it takes longer than most commands.
  const { prepareZXingModule, writeBarcode } = await import('zxing-wasm/writer');
  const wasm = createRequire(import.meta.url).resolve('zxing-wasm/writer/zxing_writer.wasm');
  prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(readFileSync(wasm)).buffer } });
  const { symbol, error } = await writeBarcode(text, { format: 'QRCode' });
  if (error !== '') throw new Error(error);
  const { width, height, data } = symbol;
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => data[y * width + x] === 0),
  );
}
