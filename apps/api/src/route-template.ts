import type { Route } from './route.ts';

// Longer than any template with its ids. Longer paths are not examined.
const charactersMax = 500;

/**
 * Returns a function that finds the route template for a path below the base path, whatever the method. Logs
 * and metrics show the template, because the path may contain anything. `other`: no route matches.
 */
export function createTemplateFinder(routes: readonly Route[]): (path: string) => string {
  const exact = new Set(routes.map(({ path }) => path));
  const withParameters = [...exact]
    .map((path) => path.split('/'))
    .filter((parts) => parts.some((part) => part.startsWith(':')));
  return (path) => {
    if (exact.has(path)) return path;
    if (path.length > charactersMax) return 'other';
    const segments = path.split('/');
    const like = withParameters.find(
      (parts) =>
        parts.length === segments.length &&
        parts.every((part, index) =>
          part.startsWith(':') ? segments[index] !== '' : part === segments[index],
        ),
    );
    return like?.join('/') ?? 'other';
  };
}
