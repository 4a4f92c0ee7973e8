import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inventory as program } from '@inventory/admin/program';
import { addDemoData } from '@inventory/admin/start/demo-data';
import { createSigningKey } from '@inventory/auth/token';
import { addFirstSigningKey } from '@inventory/db/access/signing-keys';
import { addWebhook } from '@inventory/db/webhooks/manage-webhooks';
import { createWebhookSecret } from '@inventory/webhooks/secret';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { addressFor, asPart } from '../harness/as-part.ts';
import { untilTaken } from '../harness/contract/answers.ts';
import { readHelps } from '../harness/contract/helps.ts';
import { useFolder } from '../harness/folders.ts';
import { templateName } from '../harness/global-setup.ts';
import { type Fault, startFaultProxy } from '../harness/network/fault-proxy.ts';
import { createDatabase, type TestDatabase } from '../harness/servers/database.ts';
import { send } from '../harness/service/api-client.ts';
import { runHere } from '../harness/service/command-line.ts';
import { expectInvariants } from '../harness/service/invariants.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { startService } from '../harness/service/start-service.ts';
import { type Block, commandsOf, readBlocks, readInlineCode, root, textOf } from './documents.ts';
import { likeExample, shownIn } from './fits.ts';
import { runShell } from './shell.ts';

// Everything that the documents, the help of the commands and the OpenAPI document give a reader to paste is
// sent here unchanged, to the demo data that `pnpm start` begins with.

const blocks = readBlocks();

// Commands of the documents that do not run here, each with the test that runs it, or the reason why none
// can. All others run.
const notRun: [command: RegExp, ranBy: { test: string } | { because: string }][] = [
  [/^npx -y pnpm@12 start\b(?! --restore)/, { test: 'examples/examples' }],
  [
    /^npx -y pnpm@12 (?:run )?(?:test|check|format|monitoring|clocks|pictures|audit:|sbom|test:|bench )/,
    { because: 'these are the tests, checks and measurements themselves' },
  ],
  [/^git |^docker compose (?:up|build)\b/, { test: 'examples/procedures' }],
  [/^docker compose exec proxy caddy/, { test: 'docker/certificates' }],
  [
    /^docker compose --profile/,
    { because: 'needs a Docker engine; operating/monitoring tests what it runs' },
  ],
  [/^docker compose (?:exec|down|-f)/, { because: 'needs a Docker engine' }],
  [/^npm install http/, { test: 'client/served-package' }],
  [/^iptables /, { because: 'changes the packet filter of the machine' }],
  [/^curl --no-buffer /, { test: 'contract/changes-events' }],
];
// Pages that a test of their own runs from the first line to the last.
const pages: Record<string, string> = {
  'deploy/systemd/README.md': 'deploy/systemd',
  'packages/client/README.md': 'client/served-package',
};
// A fence may also hold settings, statements, calls, output and drawings.
const languages = ['sh', 'http', 'js', 'sql', 'ini', 'yaml', 'text', 'mermaid'];

const shellBlocks = blocks.filter(({ file, language }) => language === 'sh' && !(file in pages));
const start = /^npx -y pnpm@12 start (.*?)\s*(?:#.*)?$/;
const inventory = /^\.\/inventory (.*?)\s*(?:#.*)?$/;

const folder = useFolder();

/** The text of an example, with the reader's folders and addresses replaced by those of the test. */
function placed(text: string, baseUrl = ''): string {
  return (
    text
      .replaceAll('/backups/', `${folder}/`)
      .replaceAll(/(?<=\s)\/secrets/g, `${folder}/secrets`)
      // Made-up lots are all alike.
      .replaceAll(/(?<=--lots )\d+/g, '500')
      .replaceAll('http://127.0.0.1:3000/api/v1', baseUrl)
      .replaceAll('http://127.0.0.1:9090', new URL(baseUrl || 'http://none').origin)
  );
}

/** The words of a command, as a shell reads them. */
function wordsOf(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word!);
}

describe('the documents', () => {
  test('every fenced block names its language', () => {
    expect(blocks.length).toBeGreaterThan(25);
    const unknown = blocks.filter(({ language }) => !languages.includes(language));
    expect(unknown.map(({ file, line, language }) => `${file}:${line} ${language}`)).toEqual([]);
  });

  test('every command in a sentence exists, with its options', () => {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
    const wrong: string[] = [];
    const commands = readInlineCode().flatMap(({ where, code }) => {
      const said =
        /^(?:(?:npx -y pnpm@12|pnpm) (?:--silent )?(?:run )?|(?:\.\/)?(?=inventory ))([a-z][\w:-]*)(?: (.*))?$/.exec(
          code,
        );
      return said === null ? [] : [{ where, code, script: said[1]!, rest: said[2] ?? '' }];
    });
    for (const { where, code, script, rest } of commands) {
      // pnpm's own command.
      if (script === 'install') continue;
      if (!(script in scripts)) wrong.push(`${where}: ${code}`);
      else if (script === 'inventory' && !isCommand(rest)) wrong.push(`${where}: ${code}`);
    }
    expect(commands.length).toBeGreaterThan(10);
    expect(wrong).toEqual([]);
  });

  /** Whether the words before the first value are commands, and the options are theirs. */
  function isCommand(text: string): boolean {
    let command: Command = program;
    const words = text.split(/[\s,]+/).filter((word) => /^[a-z-]+$/.test(word));
    for (const word of words) {
      const next: Command | undefined = command.commands.find((each) => each.name() === word);
      if (next !== undefined) command = next;
      else if (command.commands.length > 0 && !word.startsWith('-')) return false;
    }
    const known = [...command.options.map(({ long }) => long), '--help', '--version', '--json'];
    return words.every((word) => !word.startsWith('--') || known.includes(word));
  }
});

describe('the way in', () => {
  test('every reason code of the demo and the examples is explained in README', () => {
    const folders = ['apps/api/src/openapi/descriptions', 'packages/domain/src/kinds'];
    const sources = [
      ...blocks.map(({ text }) => text),
      ...folders.flatMap((folder) =>
        readdirSync(join(root, folder)).map((name) => textOf(`${folder}/${name}`)),
      ),
      textOf('apps/admin/src/start/demo-data.ts'),
      textOf('packages/client/README.md'),
    ];
    const used = sources.flatMap((text) =>
      [...text.matchAll(/reasonCode"?: ?(\d+)/g)].map(([, code]) => code!),
    );
    const sentence = /all examples (1 means [^.]*)\./.exec(textOf('README.md'))![1]!;
    const explained = [...sentence.matchAll(/\b(\d) [a-z]/g)].map(([, code]) => code!);
    expect(new Set(explained)).toEqual(new Set(used));
  });

  test('start prints the lines in README, and the commands of its banner end in the receipt of README', async () => {
    const database = await createDatabase();
    onTestFinished(() => database.drop());
    // Each checkout keeps the secret of its own demo; this one is another's.
    const kept = join(root, '.local/demo-client.json');
    const before = (() => {
      try {
        return readFileSync(kept);
      } catch {
        return null;
      }
    })();
    onTestFinished(() => (before === null ? rmSync(kept, { force: true }) : writeFileSync(kept, before)));
    const started = await startService(['--yes'], {
      DATABASE_URL: database.url,
      REDIS_URL: inject('redisUrl'),
      QUEUE_PREFIX: uniqueName('examples'),
    });
    const banner = started.banner.slice(started.banner.indexOf('  The inventory service '));
    const general = (text: string) =>
      text
        .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:…')
        .replaceAll(/(client_secret(?:=| +))[^\s$]\S*/gi, '$1…')
        .trim();
    const shown = blocks.find(
      ({ file, text }) => file === 'README.md' && text.startsWith('  The inventory'),
    )!;
    expect(general(banner)).toBe(general(shown.text));

    const commands = banner.split('\n').filter((line) => /^(?:export |TOKEN=|curl )/.test(line));
    expect(commands.length).toBe(3);
    const receipt = await runShell(commands.join('\n'), {});
    const promised = /The last one prints\n`([^`]*)`/.exec(textOf('README.md'))![1]!;
    const lot = JSON.parse(receipt).lot;
    expect(receipt).toBe(promised.replace('{…}', JSON.stringify(lot)));
    expect(lot).toMatchObject({ shortID: 'WIDGET-100', units: 5, wID: 1 });
    await started.stop();
    await expectInvariants(database.sql);
  });
});

const demo = useService({ holds: 'demo' });

describe('shell blocks', () => {
  const empty = useService({ holds: 'nothing' });
  const others: TestDatabase[] = [];
  afterAll(async () => {
    for (const each of others) await each.drop();
  });
  const used = new Set<RegExp>();

  async function other(template: string): Promise<TestDatabase> {
    const made = await createDatabase(template);
    others.push(made);
    return made;
  }
  /** Databases for the commands that need the owner of the tables: to fill, and to restore into. */
  async function ownersDatabases(text: string) {
    const owner = /\b(?:seed|restored|migrate)\b/.test(text) ? await other(templateName) : null;
    if (owner !== null) await addDemoData(owner.sql);
    const empty = /\brestore\b/.test(text) ? await other('template0') : null;
    return { OWNER_URL: owner?.url ?? '', EMPTY_URL: empty?.url ?? '' };
  }

  /**
   * Runs the commands of a block that can run: in this process where all are of the command line, otherwise
   * in one shell; with `start` beside them until it is up.
   */
  async function runBlock({ text }: Block) {
    const service = text.includes('admin warehouse add') ? empty : demo;
    const owners = await ownersDatabases(text);
    const env: Record<string, string> = { ...asPart('operator', service.env), ...owners };
    const commands = commandsOf(placed(text, service.baseUrl)).filter((command) => {
      const why = notRun.find(([kind]) => kind.test(command));
      if (why !== undefined) used.add(why[0]);
      return why === undefined;
    });
    const starts = commands.filter((each) => start.test(each));
    const rest = commands.filter((each) => !start.test(each));
    let output = '';
    if (!rest.every((each) => inventory.test(each))) output = await runShell(rest.join('\n'), env);
    else {
      for (const command of rest) {
        const line = inventory.exec(command)![1]!;
        const url = /^restore /.test(line)
          ? owners.EMPTY_URL
          : /^(?:restored|migrate)\b/.test(line)
            ? owners.OWNER_URL
            : '';
        const ended = await runHere(wordsOf(line), url === '' ? env : { ...env, DATABASE_URL: url });
        expect({ command, ...ended }).toMatchObject({ command, code: 0 });
      }
    }
    for (const command of starts) {
      const started = await startService(start.exec(command)![1]!.split(' '), {
        DATABASE_URL: (await other('template0')).url,
        REDIS_URL: inject('redisUrl'),
        QUEUE_PREFIX: uniqueName('examples'),
      });
      // Only with --yes.
      expect(started.banner).toContain('DATABASE_URL is set: no demo data and no demo client');
      await started.stop();
    }
    return output;
  }

  test.each(shellBlocks.map((block) => [`${block.file}:${block.line}`, block] as const))(
    'the block at %s works when pasted',
    async (_where, block) => {
      const output = await runBlock(block).catch((error: Error) => expect.unreachable(error.message));
      if (block.text.includes('/Inventory/Receive')) {
        const receipt = output.slice(output.search(/\{"recNo":\d+,"status"/));
        expect(JSON.parse(receipt)).toMatchObject({ status: 'received', lot: { units: 5, wID: 1 } });
      }
    },
  );

  test('every command of a document is run here, by the test that is named, or has a reason that belongs to a command', () => {
    expect(notRun.filter(([kind]) => !used.has(kind)).map(([, ranBy]) => ranBy)).toEqual([]);
    const tests = [
      ...Object.values(pages),
      ...notRun.flatMap(([, ranBy]) => ('test' in ranBy ? [ranBy.test] : [])),
    ];
    expect(tests.filter((each) => !existsSync(join(root, `test/${each}.test.ts`)))).toEqual([]);
    // A page that a test of its own runs is read there.
    for (const [page, by] of Object.entries(pages))
      expect(textOf(`test/${by}.test.ts`)).toContain(`'${page}'`);
    // Every document with a shell block is among those that are read here.
    const all = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
    const withCommands = all.filter((file) => /^```(?:sh|bash|shell|console)$/m.test(textOf(file)));
    const read = new Set([...Object.keys(pages), ...blocks.map(({ file }) => file)]);
    expect(withCommands.filter((file) => !read.has(file))).toEqual([]);
  });

  test('every statement works, and is rolled back', async () => {
    const statements = blocks.filter(({ language }) => language === 'sql');
    expect(statements.length).toBeGreaterThan(0);
    for (const { text } of statements) {
      const undone = new Error('taken back');
      await demo.sql
        .begin(async (tx) => {
          await tx.unsafe(text.replaceAll('api_login', uniqueName('api_login').replaceAll('-', '_')));
          throw undone;
        })
        .catch((error) => {
          if (error !== undone) throw error;
        });
    }
  });
});

describe('the examples of help', () => {
  let filled: TestDatabase;
  let filledName: string;
  const examples = [...new Set(readHelps().flatMap(({ examples }) => examples))];
  const files: Record<string, string> = {
    'items.csv': 'shortID,description\nFROM-FILE,it came\n',
    'aliases.csv': 'alias,item\n4006381333955,WIDGET-100\n',
    'reasons.csv': 'reasonCode,name,operations\n7,Taken for a set,issue\n22,Lent,issue count\n',
    'minimums.csv': 'item,warehouse,minimum\nWIDGET-100,1,150\nPAINT-WHITE,2,\n',
    'fleet.csv': 'id,permissions,warehouses\nfleet-1,11 95,1\n',
  };

  beforeAll(async () => {
    filled = await createDatabase();
    await addDemoData(filled.sql);
    const kid = examples.map((each) => /^key withdraw (\S+)/.exec(each)?.[1]).find((found) => found)!;
    await addFirstSigningKey(filled.sql, { ...(await createSigningKey()), kid });
    // Only a database without connections can be copied.
    await filled.sql.end({ timeout: 10 });
    filledName = new URL(filled.url).pathname.slice(1);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    shared = await createDatabase(filledName);
  });
  afterAll(async () => {
    await shared?.drop();
    await filled?.drop();
  });

  const inDocuments = new Set(
    shellBlocks.flatMap(({ text }) => commandsOf(text).map((command) => inventory.exec(command)?.[1])),
  );
  // Those of the documents need databases of their own. `start` runs until it is stopped, `reset` would
  // remove the data of the person who runs the tests, and `webhook test` waits for a worker.
  const shown = examples.filter((each) =>
    /^(?:backup|restored?)\b/.test(each)
      ? !inDocuments.has(each)
      : !/^(?:start|reset|listen|webhook test)\b/.test(each),
  );

  // These leave nothing for the others.
  const alone = /^(?:client remove|key withdraw|seed|migrate)\b/;
  let shared: TestDatabase;

  test.each(shown)('inventory %s', async (example) => {
    expect(examples.length).toBeGreaterThan(40);
    const isAlone = alone.test(example);
    const copy = isAlone ? await createDatabase(filledName) : shared;
    if (isAlone) onTestFinished(() => copy.drop());
    // These ask the running service, and are told of another one: admin/doctor tests what they find.
    const asks = /^(?:doctor|status)\b/.test(example);
    const owner = /^(?:migrate|seed)\b/.test(example);
    const env = asks
      ? { ...asPart('operator', demo.env), QUEUE_PREFIX: uniqueName('nobody') }
      : { DATABASE_URL: owner ? copy.url : addressFor('operator', copy.url) };
    let text = placed(example, demo.baseUrl);
    // A given database needs confirmation.
    if (example.startsWith('seed ')) text += ' --yes';
    const { code, stdout, stderr } = await runHere(
      wordsOf(text).map((arg) => (arg in files ? join(folder, arg) : arg)),
      env,
    );
    expect({ code, stdout, stderr }).toEqual({
      code: asks ? expect.toBeOneOf([0, 1]) : 0,
      stdout: expect.any(String),
      stderr: '',
    });
    if (isAlone) await expectInvariants(copy.sql);
  });

  test('they leave a stock that adds up', () => expectInvariants(shared.sql));
});

describe('the pages for integrators', () => {
  const service = useService({ holds: 'demo' });

  test.each([
    ['docs/scanners.md', 10],
    ['docs/integrations.md', 1],
  ])('%s: every call is answered as the page says, one after the other', async (page, most) => {
    const calls = blocks.filter(({ file, language }) => file === page && language === 'http');
    expect(calls.length).toBeGreaterThan(most);
    const client = await service.demoClient();
    const known: Record<string, string> = {};
    const filled = (text: string) =>
      text.replaceAll(/<(\w+)>/g, (_, name: string) =>
        name === 'now' ? new Date().toISOString() : known[name]!,
      );
    for (const { line, text } of calls) {
      const read = /^([A-Z]+) (\S+)\n((?:[\w-]+: .*\n)*)(?:\n([^→]+))?→ (\d+)\n([\s\S]*)$/.exec(text);
      expect(read, `line ${line} is a call: ${text}`).not.toBeNull();
      const [, method, path, headers, body, status, shown] = read!;
      const answer = await client.send(method!, filled(path!), {
        headers: {
          ...Object.fromEntries(
            [...headers!.matchAll(/^([\w-]+): (.*)$/gm)].map(([, name, value]) => [name, value]),
          ),
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: filled(body) }),
      });
      expect(`line ${line}: ${answer.status} ${answer.text}`).toContain(`line ${line}: ${status} `);
      // A part of the answer.
      if (shown !== '') expect(answer.body, `line ${line}`).toMatchObject(JSON.parse(shown!));
      for (const result of answer.body.results ?? [])
        if (answer.status === 200 && path === '/Inventory/Batch')
          expect(result.status, answer.text).toBe('applied');
      if (typeof answer.body.transactionNo === 'number')
        known.transactionNo = String(answer.body.transactionNo);
      const next = answer.headers.get('X-Next-Modified-Since');
      if (next !== null) known.nextModifiedSince = next;
    }
  });

  test('docs/integrations.md: the program that keeps a copy has what the lists show, while others write', async () => {
    const client = await service.demoClient();
    const program = blocks.find(
      ({ file, language }) => file === 'docs/integrations.md' && language === 'js',
    )!;
    // The copy is asked for from outside.
    const tell = `process.on('message', () => {
      const minimums = [...orders].map(([gate, { minimum }]) => ({ gate, minimum }));
      process.send([[...lots.values()], [...items.values()], minimums.filter(({ minimum }) => minimum > 0)]);
    });\n`;
    // Busy, away, cut off in the middle, refused for a moment: it goes on.
    const faults = ['pass', 'drop', 'cut'] as const;
    const rare = new Map<number, Fault>([
      [4, { refuse: 408 }],
      [7, { refuse: 403 }],
      [10, { refuse: 401 }],
    ]);
    let until = 0;
    const early: string[] = [];
    const proxy = await startFaultProxy(service.baseUrl, ({ path }, index) => {
      // Clocks and timers may differ a little.
      if (Date.now() < until - 500) early.push(path);
      if (index !== 13) return rare.get(index) ?? faults[index % 3]!;
      const date = new Date(Date.now() + 4000).toUTCString();
      until = Date.parse(date);
      return { refuse: 503, retryAfter: date };
    });
    writeFileSync(join(folder, 'copy.mjs'), tell + placed(program.text, proxy.baseUrl));
    const env = { ...process.env, CLIENT_ID: client.clientId, CLIENT_SECRET: client.secret };
    const child = fork(join(folder, 'copy.mjs'), { env, execArgv: [] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const copied = async () => {
      child.send('tell');
      const [message] = await once(child, 'message');
      return message as Record<string, unknown>[][];
    };
    const all = async (path: string) => (await client.get(`${path}pageSize=250`)).body.value;
    type Level = { partNo: number; minimum: number | null };
    const minimumsIn = async (wid: number) =>
      (await all(`/Inventory/StockLevels/${wid}?view=full&`))
        .filter(({ minimum }: Level) => minimum !== null)
        .map(({ partNo, minimum }: Level) => ({ gate: `${partNo} ${wid}`, minimum }));
    const listed = async () => [
      ...[await all('/Inventory?view=full&'), await all('/Item/All?')],
      [...(await minimumsIn(1)), ...(await minimumsIn(2))],
    ];
    const sorted = (records: Record<string, unknown>[]) => records.map((each) => JSON.stringify(each)).sort();
    const expectCopied = async () => {
      const expected = (await listed()).map(sorted);
      const look = async () => (await copied()).map(sorted);
      await expect.poll(look).toEqual(expected);
    };
    await expectCopied();
    await client.post('/Inventory/Receive', { itemID: 'WIDGET-100', units: 5, wid: 1, reasonCode: 1 });
    await client.post('/Inventory/Move', { itemID: 'WIDGET-100', units: 3, wid: 1, shipToWid: 2 });
    await client.put('/Item', { shortID: 'WIDGET-100', category: 7 });
    expect((await listed())[2]).toHaveLength(1);
    const { body } = await client.get('/Item?key=PAINT-WHITE&type=id');
    const setMinimum = async (wid: number, minimum: number | null) =>
      expect((await client.put(`/Inventory/StockLevels/${wid}/${body.partNo}`, { minimum })).status).toBe(
        200,
      );
    await setMinimum(2, null);
    await setMinimum(1, 7.5);
    await expectCopied();
    await expect.poll(() => proxy.seen.length).toBeGreaterThan(14);
    expect(early).toEqual([]);
    expect(child.exitCode).toBeNull();
  });
});

type Examples = Record<string, { summary: string; value: unknown }>;
type Content = Record<string, { examples: Examples }>;
type Operation = {
  'x-extension'?: true;
  parameters?: { name?: string; in?: string; example?: unknown }[];
  requestBody?: { content: Content };
  responses: Record<string, { content: Content }>;
};

describe('the OpenAPI document', () => {
  const service = useService({ holds: 'demo' });

  test('every example gets its answer on the demo data: reads first, then writes', async () => {
    const client = await service.demoClient();
    await addWebhook(service.sql, {
      ...{
        clientId: client.clientId,
        url: 'https://erp.example/inventory',
        kinds: null,
        allowPrivate: false,
      },
      ...{ begin: 'now', secret: createWebhookSecret() },
    });
    const { body: document } = await client.get('/openapi.json');
    const operations = Object.entries<Record<string, Operation>>(document.paths)
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({
          path,
          method: method.toUpperCase(),
          operation,
        })),
      )
      .sort((one, other) => Number(one.method !== 'GET') - Number(other.method !== 'GET'));
    // The demo data was made a moment ago.
    const [from, to] = [-1, 1].map((days) => new Date(Date.now() + days * 86_400_000).toISOString());
    const ofNow: Record<string, string> = { '/Inventory/Activity': `?from=${from}&to=${to}` };
    let sent = 0;
    for (const { path, method, operation } of operations) {
      const place = path.replace(/\{(\w+)\}/g, (_, name) => {
        const parameter = operation.parameters?.find((each) => each.in === 'path' && each.name === name);
        expect(parameter?.example, `${method} ${path} has an example of its parameter`).toBeDefined();
        return encodeURIComponent(String(parameter!.example));
      });
      const [status] = Object.keys(operation.responses).filter((each) => each.startsWith('2'));
      const answers = operation.responses[status!]!.content['application/json']!.examples;
      const [type, asked] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
      const requests =
        asked === undefined
          ? // When the example of a list shows another view, its summary gives the query.
            Object.entries(answers).map(([name, { summary }]) => ({
              name,
              query: /`(\?[^`]+)`/.exec(summary)?.[1] ?? ofNow[path] ?? '',
              body: undefined,
            }))
          : Object.entries(asked.examples).map(([name, { value }]) => ({ name, query: '', body: value }));
      for (const { name, query, body } of requests) {
        const what = `${method} ${place}${query} (${name})`;
        const answer =
          type === 'application/x-www-form-urlencoded'
            ? await askWithForm(place, body as Record<string, string>, client.secret)
            : await untilTaken(() => client.send(method, place + query, body === undefined ? {} : { body }));
        sent += 1;
        expect(`${what}: ${answer.status} ${answer.text}`).toContain(`${what}: ${status} `);
        const example = answers[name]?.value;
        if (example === undefined || path === '/Token') continue;
        expect(shownIn(example, answer.body), what).toEqual(
          likeExample(example, { isWrite: method !== 'GET' }),
        );
      }
      const unasked = Object.keys(answers).filter((name) => !requests.some((each) => each.name === name));
      expect(unasked, `${method} ${path} has answers that nothing asks for`).toEqual([]);
    }
    expect(sent).toBeGreaterThan(30);
  });

  function askWithForm(path: string, form: Record<string, string>, secret: string) {
    const filled = Object.fromEntries(
      Object.entries(form).map(([name, value]) => [name, value.replace('<client secret>', secret)]),
    );
    return send(service.baseUrl, 'POST', path, {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(filled).toString(),
    });
  }
});
