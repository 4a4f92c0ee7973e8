/**
 * The settings with which `@inventory/local` starts a test's own server in a folder, which is removed with
 * the test.
 */
export const ownSettings = (folder: string) => ({
  folder,
  port: undefined,
  rememberedPort: undefined,
  throwAway: true,
  queuePrefix: 'inventory',
  report: () => {},
  signal: new AbortController().signal,
});
