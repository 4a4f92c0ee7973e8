// Preloaded into a process (`--import`), this sets its clock wrong by CLOCK_SHIFT_MS. Timers and
// `performance.now()` stay right, as on a machine with a wrong clock. With CLOCK_SHIFT_ON=SIGUSR2 the clock
// is right until that signal.
let shiftMs = Number(process.env.CLOCK_SHIFT_MS ?? 0);
if (process.env.CLOCK_SHIFT_ON === 'SIGUSR2') {
  const laterMs = shiftMs;
  shiftMs = 0;
  process.once('SIGUSR2', () => {
    shiftMs = laterMs;
  });
}
const RealDate = Date;
const now = () => RealDate.now() + shiftMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});

export {};
