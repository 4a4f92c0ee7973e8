import { expect } from 'vitest';
import { runHere } from './command-line.ts';
import type { Service } from './service.ts';

/** The operator of a service, who keeps its webhooks with the command line. */
export function useWebhooks(service: Service) {
  const run = (args: string[]) => runHere(['webhook', ...args], { DATABASE_URL: service.databaseUrl });

  /** Runs a command, which must succeed; returns its output. */
  async function webhook(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  }
  /** Runs a command, which must fail; returns its message. */
  webhook.fails = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(args);
    expect({ failed: code !== 0, stdout }).toEqual({ failed: true, stdout: '' });
    return stderr;
  };

  async function add(clientId: string, url: string, ...more: string[]) {
    const given = ['--client', clientId, '--url', url, '--allow-private', '--json', ...more];
    return JSON.parse(await webhook('add', ...given)) as { webhookId: number; secret: string };
  }

  async function show(webhookId: number) {
    return JSON.parse(await webhook('show', '--id', `${webhookId}`, '--json', '--limit', '100'));
  }

  const state = async (webhookId: number): Promise<string> => (await show(webhookId)).state;

  /** Lets the time pass until the next attempt of a webhook. */
  async function letTimePass(webhookId: number) {
    await service.sql`
      update webhook set next_attempt = next_attempt - interval '1 year' where webhook_id = ${webhookId}`;
  }

  return { webhook, add, show, state, letTimePass };
}
