import { createServer } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';

// Loaded into a process before its main module (`probed-api.ts`). Answers each question on its socket with
// three figures since the last question, in milliseconds: the longest time that the event loop did not turn,
// the processor time, and the most processor time from one turn to the next.

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
    // The longest stretch so far is noted when the histogram's timer fires, which is due before this one.
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
