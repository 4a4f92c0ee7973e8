import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiSettings } from '@inventory/api/config';
import { knownSettings } from '@inventory/process/settings/unknown-settings';
import { workerSettings } from '@inventory/worker/config';
import { expect, test } from 'vitest';

// Settings that no process reads as its own.
const others = {
  DATABASE_PASSWORD: '',
  DATABASE_PASSWORD_FILE: '',
  REDIS_PASSWORD: '',
  REDIS_PASSWORD_FILE: '',
  REDIS_SENTINEL_PASSWORD: '',
  REDIS_SENTINEL_PASSWORD_FILE: '',
  APIS: '1',
  WORKERS: '1',
  SITE: '',
  TLS: 'acme',
  TLS_FOLDER: './tls',
  TRUSTED_PROXIES: '',
  DASHBOARD_PORT: '3001',
  OPERATIONS_PORT: '9090',
};

test('.env.example: every setting with its default, and no other', () => {
  const text = readFileSync(join(import.meta.dirname, '../../.env.example'), 'utf8');
  const written = Object.fromEntries(
    [...text.matchAll(/^# ([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );
  const settings = Object.entries({ ...apiSettings, ...workerSettings });
  const defaults = settings.map(([name, schema]) => [name, String(schema.safeParse(undefined).data ?? '')]);
  expect(written).toEqual({ ...Object.fromEntries(defaults), ...others });
  expect([...knownSettings].sort()).toEqual(Object.keys(written).sort());
});
