import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { brokenRelations, readClocks } from './clocks/clocks.ts';

const root = join(import.meta.dirname, '..');
// Includes files that are not committed yet.
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)));

const textOf = (file: string) => readFileSync(join(root, file), 'utf8');
const sources = files.filter((file) =>
  /^(?:apps|packages|packages\/libraries)\/[^/]+\/src\/.*\.ts$/.test(file),
);
const documents = files.filter((file) => /^(?:README|CONTRIBUTING|SECURITY|docs\/[a-z-]+)\.md$/.test(file));
const page = files.filter((file) => /^apps\/console\/page\/.*\.js$/.test(file));
const typescript = files.filter((file) => file.endsWith('.ts'));

/** The files of its own package that a file imports. */
function importsOf(file: string): string[] {
  return [...textOf(file).matchAll(/(?:from |import\()'(\.[^']+)'/g)].map(([, to]) =>
    normalize(join(dirname(file), to!)),
  );
}

/** The files of all our packages that a file imports. */
function allImportsOf(file: string): string[] {
  const ofOthers = [...textOf(file).matchAll(/from '@inventory\/([\w-]+)\/([^']+)'/g)];
  return [
    ...importsOf(file),
    ...ofOthers.flatMap(([, name, path]) =>
      sources.filter((source) => source.endsWith(`/${name}/src/${path}.ts`)),
    ),
  ];
}

/** The rooms: the folders directly below `src` or `page`; a file there is its own room. A library is one. */
function roomOf(file: string): string {
  const depth = file.startsWith('packages/libraries/') ? 3 : 4;
  return file.split('/').slice(0, depth).join('/');
}

test('every link of a page leads to an existing page and heading', () => {
  const headingsOf = (file: string) =>
    [
      ...textOf(file)
        .replaceAll(/^```.*?^```/gms, '')
        .matchAll(/^#+ (.+)$/gm),
    ].map(([, heading]) =>
      heading!
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    );
  const links = files
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) =>
      [...textOf(file).matchAll(/\]\((?!\w+:)([^)#]*)(?:#([^)]*))?\)/g)].map(([, path, anchor]) => ({
        file,
        target: path === '' ? file : normalize(join(dirname(file), path!)),
        anchor,
      })),
    );
  expect(links.length).toBeGreaterThan(100);
  const broken = links.filter(
    ({ target, anchor }) =>
      !existsSync(join(root, target)) || (anchor !== undefined && !headingsOf(target).includes(anchor)),
  );
  expect(broken).toEqual([]);
});

test('every path named on a page exists', () => {
  const names = new Set(files.map((file) => basename(file)));
  const gone = files
    .filter((file) => file.endsWith('.md') && file !== 'CHANGELOG.md')
    .flatMap((file) =>
      [...textOf(file).matchAll(/`([\w./-]+\.(?:ts|sql|yml|sh|md))`/g)]
        .map(([, path]) => path!)
        // A path from the root or from the page, or the name of a file beside it.
        .filter((path) => {
          const places = [join(root, path), join(root, dirname(file), path)];
          if (places.some((place) => existsSync(place))) return false;
          return path.includes('/') ? !files.some((each) => each.endsWith(`/${path}`)) : !names.has(path);
        })
        .map((path) => `${file}: ${path}`),
    );
  expect(gone).toEqual([]);
});

test('every place in the table of CONTRIBUTING is there: from the root, or beside the one before it', () => {
  const rows = [...textOf('CONTRIBUTING.md').matchAll(/^\| (?!-|To change)(.*?) +\| (.*?) +\|$/gm)];
  expect(rows.length).toBeGreaterThan(30);
  const gone = rows.flatMap(([, what, where]) => {
    let folder = '';
    const places = [...where!.matchAll(/`([\w./-]+\/[\w./-]*|[\w-]+\.ts)`/g)].map(([, place]) => place!);
    return places.flatMap((place) => {
      const found = ['', folder, dirname(folder)]
        .map((each) => join(each, place))
        .find((each) => existsSync(join(root, each)));
      if (found === undefined) return [`${what}: ${place}`];
      folder = found.endsWith('/') ? found : dirname(found);
      return [];
    });
  });
  expect(gone).toEqual([]);
});

test('a library imports no package but libraries, so it knows nothing of stock', () => {
  const libraries = sources.filter((file) => file.startsWith('packages/libraries/'));
  expect(libraries.length).toBeGreaterThan(50);
  const named = new Set(libraries.map((file) => file.split('/')[2]!));
  const others = libraries.flatMap((file) =>
    [...textOf(file).matchAll(/['"]@inventory\/([\w-]+)\//g)]
      .filter(([, name]) => !named.has(name!))
      .map(([, name]) => `${file}: ${name}`),
  );
  expect(others).toEqual([]);
});

test('SQL is in packages/db alone', () => {
  const elsewhere = sources.filter(
    (file) =>
      !/^packages\/(?:db|libraries\/postgres)\//.test(file) &&
      /\b(?:sql|tx)`|\bsql\.unsafe\(/.test(textOf(file)),
  );
  // Local databases and users are created before there is one to migrate.
  expect(elsewhere.filter((file) => !file.startsWith('packages/local/src/postgres/'))).toEqual([]);
});

test('no two jobs share the number of an advisory lock', () => {
  const numbers = sources.flatMap((file) => textOf(file).match(/(?<![\w.])7_316_\d+/g) ?? []);
  expect(numbers.length).toBeGreaterThan(6);
  expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
});

test.each([
  ['room', roomOf],
  ['file', (file: string) => file],
])('no %s imports back', (_, placeOf) => {
  const arrows = new Map<string, Set<string>>();
  for (const file of [...sources, ...page]) {
    for (const to of importsOf(file)) {
      if (placeOf(to) === placeOf(file)) continue;
      const known = arrows.get(placeOf(file)) ?? new Set();
      arrows.set(placeOf(file), known.add(placeOf(to)));
    }
  }
  const circles: string[] = [];
  const done = new Set<string>();
  const follow = (place: string, way: readonly string[]) => {
    if (way.includes(place)) circles.push([...way.slice(way.indexOf(place)), place].join(' -> '));
    if (way.includes(place) || done.has(place)) return;
    for (const next of arrows.get(place) ?? []) follow(next, [...way, place]);
    done.add(place);
  };
  for (const place of arrows.keys()) follow(place, []);
  expect(circles).toEqual([]);
});

test('server.ts and worker.ts only join rooms: each imports at most 25 files', () => {
  const importCountOf = (file: string) => textOf(file).match(/^import /gm)!.length;
  const joining = ['apps/api/src/server.ts', 'apps/worker/src/worker.ts'];
  expect(joining.filter((file) => importCountOf(file) > 25)).toEqual([]);
});

test('no function on the way of a request may be longer than 70 lines', () => {
  type Override = { includes: string[]; linter: { rules: { complexity?: object } } };
  const { overrides } = JSON.parse(textOf('biome.json')) as { overrides: Override[] };
  const excepted = overrides
    .filter(({ linter }) => 'noExcessiveLinesPerFunction' in (linter.rules.complexity ?? {}))
    .flatMap(({ includes }) => includes);
  expect(excepted.filter((file) => /^(?:apps|packages)\//.test(file))).toEqual([
    'packages/local/src/stack.ts',
  ]);
});

test('"go to definition" leads from the route of a receive to its SQL, as architecture.md says', () => {
  const [, section] = textOf('docs/architecture.md').split('\n### The same, function by function\n');
  const lines = /```text\n(.*?)\n```/s
    .exec(section!)![1]!
    .split('\n')
    .filter((line) => line !== '');
  const steps = lines.map((line) => {
    const [, indent, file, names, words] = /^( *)(\S+\.ts) +(\w+(?:, \w+)*)(?: {2,}(.*))?$/.exec(line) ?? [
      line,
    ];
    return { depth: indent?.length ?? 0, file: file!, names: names?.split(', ') ?? [], words: words ?? '' };
  });
  expect(steps.map(({ file }) => file)).toEqual(
    expect.arrayContaining(['apps/api/src/routes/operations.ts']),
  );
  expect(steps.at(-1)!.words).toContain('SQL');
  const wrong = steps.flatMap(({ depth, file, names, words }, at) => {
    const text = textOf(file);
    const above = steps.slice(0, at).findLast((step) => step.depth < depth);
    const isReached = above === undefined || allImportsOf(above.file).includes(file);
    const hasSql = /\b(?:sql|tx|piece)(?:<[^`;]*>)?`/.test(text);
    return [
      ...names
        .filter(
          (name) => !new RegExp(`^export (?:async )?(?:function|class|const) ${name}\\b`, 'm').test(text),
        )
        .map((name) => `${file} has no ${name}`),
      ...(isReached ? [] : [`${above!.file} does not import ${file}`]),
      ...(words.startsWith('SQL') && !hasSql ? [`${file} has no SQL`] : []),
    ];
  });
  expect(wrong).toEqual([]);
});

test('every export is used elsewhere', () => {
  const words = new Map(typescript.map((file) => [file, new Set(textOf(file).match(/\w+/g))]));
  const unused = sources.flatMap((file) =>
    [...textOf(file).matchAll(/^export (?:async )?(?:function\*?|const|let|class|type|interface) (\w+)/gm)]
      .map(([, name]) => name!)
      .filter((name) => ![...words].some(([other, known]) => other !== file && known.has(name)))
      // A type in the signature of an export must be exported, whether or not its name is written.
      .filter((name) => !new RegExp(`^export (?:type|interface) ${name}\\b`, 'm').test(textOf(file)))
      .map((name) => `${file}: ${name}`),
  );
  expect(unused).toEqual([]);
});

test('no two tests of a file have the same title', () => {
  const twice = files
    .filter((file) => file.endsWith('.test.ts'))
    .flatMap((file) => {
      const titles: string[] = [];
      const blocks: { title: string; indent: number }[] = [];
      for (const [, indent, what, title] of textOf(file).matchAll(
        /^( *)(describe|test)(?:\.\w+(?:\([^)]*\))?)*\(\s*['"`](.*?)['"`],/gm,
      )) {
        while (blocks.length > 0 && blocks.at(-1)!.indent >= indent!.length) blocks.pop();
        if (what === 'describe') blocks.push({ title: title!, indent: indent!.length });
        else titles.push([...blocks.map((block) => block.title), title].join(' > '));
      }
      return titles
        .filter((title, index) => titles.indexOf(title) !== index)
        .map((title) => `${file}: ${title}`);
    });
  expect(twice).toEqual([]);
});

test('the clocks fit together', () => {
  const clocks = readClocks();
  expect(clocks.length).toBeGreaterThan(30);
  expect(brokenRelations(clocks)).toEqual([]);
});

test('no comment is wider than 110 columns', () => {
  // One file is made from the OpenAPI document, with its texts.
  const written = typescript.filter((file) => file !== 'packages/client/src/api/schema.ts');
  const wide = written.flatMap((file) =>
    textOf(file)
      .split('\n')
      // Text of the OpenAPI document may begin with a star, like a comment, but with no space before it.
      .filter((line) => line.length > 110 && /^\s*(?:\/\/|\/\*\*| \*) /.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(wide).toEqual([]);
});

test('no sentence of a document or of a message has "who …" or "what …" as its subject', () => {
  const subject = /(?:^|[.:;] |\| |["'`])(?:Who|What|Whoever) (?!.*\?)/;
  const found = [...documents, ...sources].flatMap((file) =>
    textOf(file)
      .split('\n')
      // Headings, table heads and bold labels are no sentences.
      .filter((line, at, lines) => !line.startsWith('#') && !/^\| -/.test(lines[at + 1] ?? ''))
      // Comments are left to their authors.
      .filter((line) => !file.endsWith('.ts') || !/^\s*(?:\/\/|\/?\*)/.test(line))
      .filter((line) => subject.test(line.replaceAll(/\*\*[^*]*\*\*/g, '')))
      .map((line) => `${file}: ${line.trim().slice(0, 100)}`),
  );
  expect(found).toEqual([]);
});

test('the words of the project are explained, each once and in order', () => {
  const [, rest] = textOf('docs/architecture.md').split('\n## Words\n');
  const rows = [...rest!.split('\n## ')[0]!.matchAll(/^\| ([a-z][^|]*?) +\| (\S.*?) +\|$/gm)];
  const words = rows.flatMap(([, name]) => name!.split(', '));
  expect(words).toEqual(
    expect.arrayContaining([
      'gate',
      'lane',
      'shard',
      'envelope',
      'batch',
      'verdict',
      'fold',
      'level',
      'tier',
    ]),
  );
  expect(new Set(words).size).toBe(words.length);
  const names = rows.map(([, name]) => name!);
  expect(names).toEqual([...names].sort());
});
