import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { handbookPage } from './handbook.ts';

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

const headers = {
  'Cache-Control': 'no-cache',
  // Everything comes from this process, and no other page may embed it.
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    'img-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

const script = 'text/javascript; charset=utf-8';
const style = 'text/css; charset=utf-8';

/** The page and its files by path, read once. Only these paths exist, so no path leads outside. */
export function pageFiles(): Record<string, Serve> {
  const { resolve } = createRequire(import.meta.url);
  const page = 'text/html; charset=utf-8';
  const ours = (name: string) => join(import.meta.dirname, 'page', name);
  const files: [path: string, type: string, file: string][] = [
    ['/operations', page, ours('index.html')],
    ['/operations/page.js', script, ours('page.js')],
    ['/operations/chart.js', script, ours('chart.js')],
    ['/operations/draw-chart.js', script, resolve('@inventory/console/draw-chart.js')],
    ['/operations/page.css', style, ours('page.css')],
    ['/operations/preact.js', script, resolve('preact')],
    ['/operations/htm.js', script, join(dirname(resolve('htm')), 'htm.mjs')],
    ['/operations/uplot.js', script, resolve('uplot/dist/uPlot.esm.js')],
    ['/operations/uplot.css', style, resolve('uplot/dist/uPlot.min.css')],
  ];
  const handbook = readFileSync(join(import.meta.dirname, '../../../../docs/alerts.md'), 'utf8');
  return {
    ...Object.fromEntries(files.map(([path, type, file]) => [path, serveFile(type, readFileSync(file))])),
    '/operations/handbook': serveFile(page, Buffer.from(handbookPage(handbook))),
  };
}

function serveFile(type: string, content: Buffer): Serve {
  return (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { Allow: 'GET, HEAD' }).end();
      return;
    }
    response.writeHead(200, { ...headers, 'Content-Type': type, 'Content-Length': content.length });
    response.end(request.method === 'HEAD' ? undefined : content);
  };
}
