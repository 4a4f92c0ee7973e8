import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { addWarehouse } from '@inventory/db/catalog/warehouses';
import type { Sql } from '@inventory/postgres/pool';
import { inject, onTestFinished } from 'vitest';
import { asPart } from '../as-part.ts';
import { createDocumented } from '../contract/expect-documented.ts';
import { copyRepository } from '../copy-repository.ts';
import { createDatabase } from '../servers/database.ts';
import { addCaller, fetchToken } from './caller.ts';
import { type Ended, startCommand } from './command-line.ts';
import { type Started, startProcess } from './processes.ts';
import { uniqueName } from './service.ts';

const root = join(import.meta.dirname, '../../..');

// biome-ignore lint/suspicious/noExplicitAny: answers and the document have their own names.
type Told = any;

/** A copy of the repository with its own database. */
export type ChangedCopy = {
  folder: string;
  sql: Sql;
  command(...args: string[]): Promise<Ended>;
  /** Starts its service, with two warehouses and the item A. Each answer must be one of its document. */
  start(): Promise<{
    document: Told;
    get(path: string): Promise<Told>;
    post(path: string, sent: object): Promise<Told>;
  }>;
};

/** Makes such a copy until the test ends. `edits`: by file, the new text made from the present one. */
export async function changedCopy(edits: Record<string, (present: string) => string>): Promise<ChangedCopy> {
  const folder = await copyRepository(join(root, '.local', uniqueName('copy')));
  const { url: databaseUrl, sql, drop } = await createDatabase();
  const running: Started[] = [];
  onTestFinished(async () => {
    for (const { child } of running) child.kill('SIGKILL');
    await Promise.all(running.map(({ exited }) => exited));
    await drop();
    await rm(folder, { recursive: true, force: true });
  });
  for (const [path, edit] of Object.entries(edits)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, edit(await readFile(file, 'utf8').catch(() => '')));
  }
  const program = join(folder, 'apps/admin/src/main.ts');
  return {
    folder,
    sql,
    command: (...args) => startCommand(args, { DATABASE_URL: databaseUrl }, { program }).ended,
    async start() {
      for (const wid of [1, 2]) await addWarehouse(sql, { wid, name: `Warehouse ${wid}` });
      await sql`insert into item (short_id, created_by) values ('A', 'tests')`;
      const env = {
        DATABASE_URL: databaseUrl,
        REDIS_URL: inject('redisUrl'),
        QUEUE_PREFIX: uniqueName('copy'),
        PORT: '0',
      };
      const start = async (part: 'api' | 'worker') => {
        const file = join(folder, `apps/${part}/src/main.ts`);
        running.push(await startProcess(file, asPart(part, env), { quiet: true }));
        return running.at(-1)!;
      };
      const [api] = await Promise.all([start('api'), start('worker')]);
      const host = `http://127.0.0.1:${api.port}`;
      const origin = `${host}/api/v1`;
      const document: Told = await (await fetch(`${origin}/openapi.json`)).json();
      const { expectDocumented } = createDocumented(document);
      const token = await fetchToken(host, 'copied', await addCaller(sql, 'copied', 2));
      const call = async (method: 'GET' | 'POST', path: string, sent?: object): Promise<Told> => {
        const answer = await fetch(origin + path, {
          method,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          ...(sent && { body: JSON.stringify(sent) }),
        });
        const { status, headers } = answer;
        const text = await answer.text();
        // A busy machine answers 503 now and then.
        if (status === 503) return call(method, path, sent);
        const told = JSON.parse(text);
        expectDocumented(method, path, { status, headers, text, body: told });
        return { status, ...told };
      };
      return {
        document,
        get: (path) => call('GET', path),
        post: (path, sent) => call('POST', path, sent),
      };
    },
  };
}
