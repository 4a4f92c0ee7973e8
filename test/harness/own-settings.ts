/** With what `@inventory/local` starts a server of a test's own in a folder, which goes with the test. */
export const ownSettings = (folder: string) => ({
  folder,
  port: undefined,
  rememberedPort: undefined,
  throwAway: true,
  queuePrefix: 'inventory',
  report: () => {},
  signal: new AbortController().signal,
});
