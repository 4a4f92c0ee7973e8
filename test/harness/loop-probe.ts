import { createServer } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';

// Loaded into a process before its main module (`probed-api.ts`). Whoever connects to the socket is told, in
// milliseconds, for how long the event loop of this process did not turn at most, and how long its processors
// worked, since the last one who asked.

const held = monitorEventLoopDelay({ resolution: 1 });
held.enable();
let workedBefore = process.cpuUsage();

const server = createServer((socket) => {
  socket.on('error', () => {});
  socket.on('data', () => {
    // The longest stretch until now is noted when the histogram's timer comes, which is due before this one.
    setTimeout(() => {
      const { user, system } = process.cpuUsage(workedBefore);
      socket.write(`${held.max / 1e6} ${(user + system) / 1e3}\n`);
      held.reset();
      workedBefore = process.cpuUsage();
    }, 3);
  });
});
server.listen(process.env.LOOP_PROBE!);
server.unref();
