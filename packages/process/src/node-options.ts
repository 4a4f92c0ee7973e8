/**
 * The options of Node for an api or a worker; the Dockerfile has them too. What a request makes is garbage
 * when it is answered. Room for 64 MB of it, in place of the 16 MB of Node 20, lets most of it end before it
 * is looked at: docs/decisions/0025 has the figures.
 */
export const nodeOptions: readonly string[] = ['--max-semi-space-size=64'];
