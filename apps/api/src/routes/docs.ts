import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Context, Next } from 'koa';
import { methodRefused, unknownPath } from '../http/errors.ts';
import { type StaticFile, sendStaticFile, staticFile } from '../http/static-file.ts';
import { collectionText } from '../openapi/collection.ts';
import { type Guide, llmsText } from '../openapi/llms.ts';
import { clientPackagePath } from './client-package.ts';
import { readGuides } from './guides.ts';

// Everything comes from this process. The page's icons are `data:` images.
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const pageOf = (guides: readonly Guide[]) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="color-scheme" content="light dark">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Inventory Management Service API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="docs/swagger-ui.css">
    <link rel="stylesheet" href="docs/page.css">
  </head>
  <body>
    <nav>
      ${guides.map(({ file, title }) => `<a class="guide" href="docs/${file}">${title}</a>`).join('\n      ')}
      <a href="openapi.json">OpenAPI</a>
      <a href="collection.json" download>Postman and Bruno</a>
      <a href="llms.txt">llms.txt</a>
    </nav>
    <div id="docs"></div>
    <noscript>This page needs JavaScript; the document itself is <a href="openapi.json">openapi.json</a>.</noscript>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/page.js"></script>
  </body>
</html>
`;

// Cached without revalidation: our own files briefly, because an old one may not fit a new page; the
// library's, which change only with its version, longer.
const ours = 'public, max-age=60';
const vendors = 'public, max-age=3600';

export const docsMethods = ['GET', 'HEAD'] as const;

const roots = ['/openapi.json', '/collection.json', '/llms.txt', '/docs', clientPackagePath];

/**
 * Whether a path below the base path belongs to the document, its other forms, the page or its files, or is
 * the client for programs.
 */
export function isOfDocs(path: string): boolean {
  return roots.includes(path) || path.startsWith('/docs/');
}

/**
 * Serves `/openapi.json`, its other forms, the page `/docs` with its files and guides, and the redirect from
 * `/`, to everybody: no token is needed and nothing comes from another host. The bytes are charged to the
 * caller's address (`createStrangers`). Unchanged files get 304. `proxies`: see `callerAddress`.
 */
export function docsRoutes(basePath: string, openApi: string, proxies: number) {
  const resolve = createRequire(import.meta.url).resolve;
  const vendor = (name: string) => readFileSync(resolve(`swagger-ui-dist/${name}`));
  const own = (name: string) => readFileSync(join(import.meta.dirname, 'docs-page', name));
  const document = JSON.parse(openApi);
  const guides = readGuides();
  // Only these names exist, so no path leads outside.
  const files = new Map<string, StaticFile>([
    ['/openapi.json', file('application/json', openApi, ours)],
    ['/llms.txt', file('text/plain', llmsText(document, guides), ours)],
    ['/docs', file('text/html', pageOf(guides), ours)],
    // Every browser shows plain text.
    ...guides.map(({ file: name, text }) => [`/docs/${name}`, file('text/plain', text, ours)] as const),
    ['/docs/page.js', file('text/javascript', own('page.js'), ours)],
    ['/docs/page.css', file('text/css', own('page.css'), ours)],
    ['/docs/swagger-ui.css', file('text/css', vendor('swagger-ui.css'), vendors)],
    ['/docs/swagger-ui-bundle.js', file('text/javascript', vendor('swagger-ui-bundle.js'), vendors)],
  ]);
  // Only the last one is kept, because callers may name any host.
  let collection = { origin: '', file: files.get('/openapi.json')! };
  const collectionFor = (origin: string) => {
    if (collection.origin !== origin) {
      const text = collectionText(document, `${origin}${basePath}`);
      collection = { origin, file: file('application/json', text, 'private, max-age=60') };
    }
    return collection.file;
  };

  return (ctx: Context, next: Next) => {
    if (ctx.path === '/' && (ctx.method === 'GET' || ctx.method === 'HEAD')) {
      ctx.status = 302;
      ctx.set({ Location: `.${basePath}/docs`, 'Cache-Control': ours });
      return undefined;
    }
    const path = ctx.path.startsWith(basePath) ? ctx.path.slice(basePath.length) : '';
    const found = path === '/collection.json' ? collectionFor(originOf(ctx, proxies)) : files.get(path);
    if (found === undefined && !path.startsWith('/docs/')) return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodRefused(docsMethods.join(', '));
    if (found !== undefined) return sendStaticFile(ctx, found);
    if (path !== '/docs/') throw unknownPath();
    // The page's links are relative, so that a proxy may serve it below another path.
    ctx.status = 308;
    ctx.set('Location', '../docs');
    return undefined;
  };
}

/** The scheme and host under which the caller reached the service, as far as headers tell. */
function originOf(ctx: Context, proxies: number): string {
  const isEncrypted = proxies > 0 && ctx.get('X-Forwarded-Proto') === 'https';
  const hosts = [...(proxies > 0 ? [ctx.get('X-Forwarded-Host')] : []), ctx.get('Host')];
  const host = hosts.find((text) => /^[\w.:[\]-]{1,255}$/.test(text)) ?? '127.0.0.1:3000';
  return `${isEncrypted ? 'https' : 'http'}://${host}`;
}

function file(type: string, content: string | Buffer, cacheControl: string): StaticFile {
  return staticFile(type, content, {
    'Cache-Control': cacheControl,
    'Content-Security-Policy': contentSecurityPolicy,
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  });
}
