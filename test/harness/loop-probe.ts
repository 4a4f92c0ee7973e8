import { createServer } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';

// Loaded into a process before its main module (`probed-api.ts`). Whoever connects to the socket is told, in
// milliseconds, for how long the event loop of this process did not turn at most, how long its processors
// worked, and how long they did from one turn to the next at most, since the last one who asked.

const held = monitorEventLoopDelay({ resolution: 1 });
held.enable();
let workedBefore = process.cpuUsage();
let workedAtTurn = process.cpuUsage();
let stretchMs = 0;
setInterval(() => {
  stretchMs = Math.max(stretchMs, msOf(process.cpuUsage(workedAtTurn)));
  workedAtTurn = process.cpuUsage();
}, 1).unref();

function msOf({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1e3;
}

const server = createServer((socket) => {
  socket.on('error', () => {});
  socket.on('data', () => {
    // The longest stretch until now is noted when the histogram's timer comes, which is due before this one.
    setTimeout(() => {
      socket.write(`${held.max / 1e6} ${msOf(process.cpuUsage(workedBefore))} ${stretchMs}\n`);
      held.reset();
      stretchMs = 0;
      workedBefore = process.cpuUsage();
    }, 3);
  });
});
server.listen(process.env.LOOP_PROBE!);
server.unref();
