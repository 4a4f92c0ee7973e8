/**
 * The Node options of an api or a worker, also in the Dockerfile. The objects of a request are garbage once
 * it is answered. With 64 MB of room for new objects, instead of the 16 MB of Node 20, most of them are
 * garbage before the collector looks at them; docs/decisions/0025 has the figures.
 */
export const nodeOptions: readonly string[] = ['--max-semi-space-size=64'];
