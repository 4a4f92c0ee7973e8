import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const run = promisify(execFile);
const compress = promisify(gzip);

const folder = dirname(createRequire(import.meta.url).resolve('@inventory/client/package.json'));
/** The package in the image, which contains no compiler. */
export const builtPackage = join(folder, 'client.tgz');

/** `@inventory/client` as npm installs it: the file of the image or, in a checkout, one made now. */
export async function clientPackage(): Promise<Buffer> {
  return readFile(builtPackage).catch(() => buildClientPackage());
}

/** Compiles and packs `@inventory/client`. The same sources give the same bytes. */
export async function buildClientPackage(): Promise<Buffer> {
  const target = await mkdtemp(join(tmpdir(), 'inventory-client-'));
  try {
    const compiler = dirname(createRequire(join(folder, 'package.json')).resolve('typescript/package.json'));
    const project = join(folder, 'tsconfig.build.json');
    await run(process.execPath, [join(compiler, 'bin/tsc'), '-p', project, '--outDir', target]);
    const { scripts, devDependencies, ...manifest } = JSON.parse(
      await readFile(join(folder, 'package.json'), 'utf8'),
    );
    const files = new Map([
      ['package.json', Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)],
      ['README.md', await readFile(join(folder, 'README.md'))],
      ...(await filesIn(target, 'dist')),
      ...(await filesIn(join(folder, 'src'), 'src')),
    ]);
    return await compress(archive(files), { level: 9 });
  } finally {
    await rm(target, { recursive: true, force: true });
  }
}

async function filesIn(from: string, to: string): Promise<[string, Buffer][]> {
  const entries = await readdir(from, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return Promise.all(
    paths
      .sort()
      .map(
        async (path): Promise<[string, Buffer]> => [
          `${to}${path.slice(from.length).replaceAll('\\', '/')}`,
          await readFile(path),
        ],
      ),
  );
}

const blockBytes = 512;

/** A tar file (ustar), with the folder `package` that npm expects. */
function archive(files: ReadonlyMap<string, Buffer>): Buffer {
  const blocks = [...files].flatMap(([path, content]) => [
    header(`package/${path}`, content.length),
    content,
    Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes),
  ]);
  return Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]);
}

function header(name: string, size: number): Buffer {
  const block = Buffer.alloc(blockBytes);
  if (Buffer.byteLength(name) > 100) throw new Error(`${name} is too long for a tar file`);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  block.write(name, 0);
  block.write(octal(0o644, 7), 100);
  // Owner, group; the size; no time, so that the bytes depend on the files alone.
  block.write(octal(0, 7) + octal(0, 7) + octal(size, 11) + octal(0, 11), 108);
  // The sum is that of the block with spaces in its place.
  block.write('        0', 148);
  block.write('ustar\u000000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)} `, 148);
  return block;
}
