// Preloaded into a process (`--import`). On SIGUSR2 it does what libraries do that ignore our log: it prints,
// warns, rejects and throws, each with the text of BLURTED.
const text = process.env.BLURTED ?? '';

function failure(): Error {
  const cause = Object.assign(new Error(`a cause with ${text}`), { args: [text], detail: text });
  const error = new AggregateError(
    [new TypeError(text)],
    `an error with ${text}\n    at ${text} (${text}:1:1)`,
  );
  return Object.assign(error, { cause, command: { name: 'auth', args: [text] }, parameters: [text] });
}

process.on('SIGUSR2', () => {
  console.log('printed:', text);
  console.error('[ioredis] Unhandled error event:', failure().stack);
  console.error(failure());
  console.warn({ text });
  process.emitWarning(`a warning with ${text}`, { detail: text });
  void Promise.reject(failure());
  void Promise.reject(text);
  setImmediate(() => {
    throw failure();
  });
});

export {};
