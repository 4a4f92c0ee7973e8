import { startStack } from '@inventory/local/stack';

// Runs a stack in this folder, in a separate process, which the tests can kill. Prints the URLs as one line
// of JSON when it is up; ends in order on SIGINT.
const abort = new AbortController();
const interrupted = new Promise<void>((resolve) => {
  process.on('SIGINT', () => {
    abort.abort();
    resolve();
  });
});

const stack = await startStack({
  folder: process.argv[2] ?? '',
  report: (line) => console.error(line),
  signal: abort.signal,
});
console.log(JSON.stringify({ databaseUrl: stack.databaseUrl, redisUrl: stack.redisUrl }));
await interrupted;
await stack.stop();
