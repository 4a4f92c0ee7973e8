import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { version } from '../cli/version.ts';
import type { DemoClient } from './demo-client.ts';

/** The address of a server for users on the same machine. */
export function urlOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

/** The address of the API for clients on the same machine. */
export function baseUrlOf(host: string, port: number): string {
  return `${urlOf(host, port)}/api/v1`;
}

/** Waits until the API answers as expected: a request without a token gets 401. */
export async function waitForAnswer(baseUrl: string, signal: AbortSignal): Promise<void> {
  while ((await statusOf(`${baseUrl}/Item`, signal)) !== 401) await wait(50, undefined, { signal });
}

/**
 * The lines that an operator needs to use the service. The commands work in this order when they are pasted
 * into a shell.
 */
export async function bannerOf(
  baseUrl: string,
  internal: { api: string; worker: string },
  client: DemoClient | null,
  signal: AbortSignal,
): Promise<string[]> {
  const docsUrl = `${baseUrl}/docs`;
  const consoleUrl = new URL('/console', baseUrl).href;
  const hasDocs = (await statusOf(docsUrl, signal)) === 200;
  const hasConsole = (await statusOf(consoleUrl, signal)) === 308;
  const lines = ['', `  The inventory service ${version} is up.`, '', `  Base URL       ${baseUrl}`];
  if (hasDocs) lines.push(`  Documentation  ${docsUrl}`);
  if (hasConsole) lines.push(`  Console        ${consoleUrl}`);
  lines.push(`  Operations     ${internal.api}/operations`);
  lines.push(`  Metrics        ${internal.api}/metrics (api), ${internal.worker}/metrics (worker)`);
  if (client !== null) {
    lines.push(
      `  client_id      ${client.clientId}`,
      `  client_secret  ${client.clientSecret}`,
      '',
      '  A token, and with it a receipt of 5 units:',
      '',
      `export CLIENT_SECRET=${client.clientSecret}`,
      '',
      `TOKEN=$(curl -s ${baseUrl}/Token -d grant_type=client_credentials -d client_id=${client.clientId} -d client_secret=$CLIENT_SECRET | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
      '',
      `curl -s ${baseUrl}/Inventory/Receive -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"itemID":"WIDGET-100","units":5,"wid":1,"reasonCode":1}'`,
    );
  }
  lines.push('', '  Stop it with Ctrl-C.', '');
  return lines;
}

/** The status of a GET; null if there is no answer. `fetch` refuses some ports that may be configured. */
async function statusOf(url: string, signal: AbortSignal): Promise<number | null> {
  const asked = get(url, { agent: false, signal: AbortSignal.any([signal, AbortSignal.timeout(5000)]) });
  try {
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    await finished(answer.resume());
    return answer.statusCode ?? null;
  } catch {
    return null;
  }
}
