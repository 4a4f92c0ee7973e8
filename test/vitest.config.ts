import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: './harness/global-setup.ts',
    include: ['**/*.test.ts'],
    // Two cores run Postgres, Redis, the service and the tests: more files at once only wait for each other.
    maxWorkers: 2,
    // Files share nothing but modules, which take longer to load than most tests to run.
    isolate: false,
    // Wide: they end what hangs, and say nothing about how fast a machine must be.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 60_000 } },
    // The last line of a run is read by those who only want the count.
    reporters: ['default', './harness/count-reporter.ts'],
  },
});
