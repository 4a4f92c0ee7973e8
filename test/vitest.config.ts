import { defineConfig } from 'vitest/config';

// The source of the client, which is published as it is built; and vite's own.
const conditions = ['inventory-source', 'module', 'node', 'development|production'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    globalSetup: './harness/global-setup.ts',
    include: ['**/*.test.ts'],
    // Postgres, Redis, the service and the tests share two cores, and some tests wait for a long time: with
    // fewer files at once a fifth of the processors is idle, more would only wait for each other.
    maxWorkers: 5,
    // Files share only modules, which take longer to load than most tests to run.
    isolate: false,
    // Generous: they end hanging tests, and say nothing about the speed of a machine.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    teardownTimeout: 180_000,
    expect: { poll: { timeout: 180_000 } },
    // The last line of a run is for readers who only want the count.
    reporters: ['default', './harness/count-reporter.ts'],
  },
});
