import { createServer } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';

// Loaded into a process before its main module (`probed-api.ts`). Answers each question on its socket with
// figures since the last one, in milliseconds: `worked` with the processor time, at once; `held` with the
// longest time that the event loop did not turn, the processor time, and the most of it from one turn to the
// next.

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
  const takeWorked = () => {
    const worked = msOf(process.cpuUsage(workedBefore));
    workedBefore = process.cpuUsage();
    return worked;
  };
  socket.on('data', (question) => {
    if (String(question) === 'worked') {
      socket.write(`${takeWorked()}\n`);
      return;
    }
    // The longest stretch so far is noted when the histogram's timer fires, which is due before this one.
    setTimeout(() => {
      socket.write(`${held.max / 1e6} ${takeWorked()} ${stretchMs}\n`);
      held.reset();
      stretchMs = 0;
    }, 3);
  });
});
server.listen(process.env.LOOP_PROBE!);
server.unref();
