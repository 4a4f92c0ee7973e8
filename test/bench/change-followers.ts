import { once } from 'node:events';
import { Pool } from 'undici';

/** The message from `changes.ts`. */
export type FollowersAsked = { origin: string; token: string; count: number };
/** `delays`: of each answer, how long its oldest change took to reach the caller, milliseconds. */
export type FollowersTold = { delays: number[]; answers: number };

// A process of its own: reading thousands of answers must not disturb the timing of those who write.
const [{ origin, token, count }] = (await once(process, 'message')) as [FollowersAsked];
const pool = new Pool(origin, { connections: count, pipelining: 1 });
const headers = { authorization: `Bearer ${token}` };
const delays: number[] = [];
let answers = 0;
let stopped = false;

const get = async (path: string) => {
  const { body } = await pool.request({ method: 'GET', path: `/api/v1${path}`, headers });
  return Buffer.from(await body.arrayBuffer());
};
// A program would decode and parse the answer on a machine of its own.
const cursorOf = (answer: Buffer) =>
  /"nextCursor":"([^"]+)"/.exec(answer.toString('utf8', answer.length - 300))![1]!;

async function follow() {
  let cursor = cursorOf(await get('/Changes?after=now'));
  while (!stopped) {
    const answer = await get(`/Changes?after=${cursor}&wait=25`);
    cursor = cursorOf(answer);
    answers += 1;
    // The clocks are those of one machine. Of each page the oldest has waited longest.
    const at = /"at":"([^"]+)"/.exec(answer.toString('utf8', 0, 1000))?.[1];
    if (at !== undefined) delays.push(Date.now() - Date.parse(at));
  }
}

const following = Promise.all(Array.from({ length: count }, follow));
await once(process, 'message');
stopped = true;
following.catch(() => {});
process.send!({ delays, answers } satisfies FollowersTold, () => process.exit());
