import type { Route } from './route.ts';

// Longer than any template with ids in it; nobody's text is looked at for long.
const charactersMax = 500;

/**
 * Finds the template of the route that a path below the base path is for, whatever its method: what a log and
 * a metric may show, when the path itself may hold anything. `other`: there is none.
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
