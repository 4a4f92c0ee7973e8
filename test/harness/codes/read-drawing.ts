import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';

const pixelsPerModule = 4;

/** The text of a code that a command drew with blocks, light on a dark ground, among other lines. */
export async function readDrawing(stdout: string): Promise<string> {
  const wasm = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm');
  prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(readFileSync(wasm)).buffer } });
  const lines = stdout.split('\n').filter((line) => /^[ ▀▄█]{20,}$/.test(line));
  const scale = pixelsPerModule;
  const [width, height] = [lines[0]!.length * scale, lines.length * 2 * scale];
  const data = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const row = Math.floor(y / scale);
      const sign = lines[row >> 1]![Math.floor(x / scale)]!;
      const isLight = sign === '█' || sign === (row % 2 === 0 ? '▀' : '▄');
      if (!isLight) data.fill(0, (y * width + x) * 4, (y * width + x) * 4 + 3);
    }
  const [code] = await readBarcodes({ data, width, height, colorSpace: 'srgb' } as never);
  return code!.text;
}
