import { Agent, request } from 'undici';

// A separate process, so that its work takes no time from the one that measures. Sends the same kind of
// request on many connections, each as soon as the previous one is answered, until it is ended. FLOOD_URL,
// FLOOD_TOKENS (JSON, used one after the other), FLOOD_CONNECTIONS.
const { FLOOD_URL = '', FLOOD_TOKENS = '[]', FLOOD_CONNECTIONS = '1' } = process.env;
const tokens = JSON.parse(FLOOD_TOKENS) as string[];
const connections = Number(FLOOD_CONNECTIONS);
const dispatcher = new Agent({ connections, pipelining: 1 });
let sent = 0;

async function flood() {
  for (;;) {
    sent += 1;
    try {
      const answer = await request(FLOOD_URL, {
        dispatcher,
        headers: { authorization: `Bearer ${tokens[sent % tokens.length]}` },
      });
      await answer.body.dump();
    } catch {
      // The connection was closed: the next one is opened.
    }
  }
}

process.stdout.write(`${JSON.stringify({ msg: 'flooder is up' })}\n`);
await Promise.all(Array.from({ length: connections }, flood));
