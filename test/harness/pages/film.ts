import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { prepareZXingModule, writeBarcode } from 'zxing-wasm/writer';
import { createFolder } from '../folders.ts';

const width = 640;
const height = 480;

/**
 * A film (YUV4MPEG2) of one GS1 code, for a browser to take as its camera. `text`: the elements with their
 * identifiers in brackets. Returns the path of the file, which is removed with the test.
 */
export async function filmOf(text: string, format: 'Code128' | 'DataMatrix'): Promise<string> {
  const wasm = createRequire(import.meta.url).resolve('zxing-wasm/writer/zxing_writer.wasm');
  prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(readFileSync(wasm)).buffer } });
  const { symbol, error } = await writeBarcode(text, { format, options: 'gs1' });
  if (error !== '') throw new Error(error);
  const light = Buffer.alloc(width * height, 235);
  const scale = Math.floor(Math.min((width - 40) / symbol.width, (height - 40) / symbol.height));
  const left = (width - scale * symbol.width) >> 1;
  const top = (height - scale * symbol.height) >> 1;
  for (let y = 0; y < scale * symbol.height; y++)
    for (let x = 0; x < scale * symbol.width; x++) {
      const isDark = symbol.data[Math.floor(y / scale) * symbol.width + Math.floor(x / scale)] === 0;
      if (isDark) light[(top + y) * width + left + x] = 16;
    }
  const colours = Buffer.alloc((width * height) / 2, 128);
  const path = join(createFolder(), 'film.y4m');
  writeFileSync(
    path,
    Buffer.concat([Buffer.from(`YUV4MPEG2 W${width} H${height} F5:1 Ip C420mpeg2\nFRAME\n`), light, colours]),
  );
  return path;
}
