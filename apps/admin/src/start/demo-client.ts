import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createSecret, digestSecret, isSecretOf } from '@inventory/auth/secret';
import { addSecret, readClients, readSecretDigests } from '@inventory/db/access/clients';
import type { Sql } from '@inventory/postgres/pool';
import { z } from 'zod';
import { demoClientId } from './demo-data.ts';

const DemoClient = z.object({ clientId: z.literal(demoClientId), clientSecret: z.string().min(1) });
export type DemoClient = z.infer<typeof DemoClient>;

/**
 * The demo client with a valid secret: the one stored in `file`, or a new one that is stored there for the
 * next start. Null if the client is disabled.
 */
export async function readDemoClient(sql: Sql, file: string): Promise<DemoClient | null> {
  if (!(await readClients(sql, [demoClientId])).has(demoClientId)) return null;
  const kept = readKept(file);
  if (kept !== null && isSecretOf(kept.clientSecret, await readSecretDigests(sql, demoClientId))) return kept;
  const client: DemoClient = { clientId: demoClientId, clientSecret: createSecret() };
  await addSecret(sql, demoClientId, digestSecret(client.clientSecret));
  writePrivateFile(file, `${JSON.stringify(client)}\n`);
  return client;
}

function readKept(file: string): DemoClient | null {
  try {
    return DemoClient.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null;
  }
}

/** Written atomically, readable only for our user, whatever the mode of the old file was. */
function writePrivateFile(file: string, text: string): void {
  const part = `${file}-part-${process.pid}`;
  writeFileSync(part, text, { mode: 0o600 });
  renameSync(part, file);
}
