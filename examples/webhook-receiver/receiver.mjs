// Receives webhooks: checks the signature, keeps what came, and does the work afterwards.
import { createServer } from 'node:http';
import { InventoryError, verifyWebhook } from '@inventory/client';

const { WEBHOOK_SECRET: secret, PORT: port = '8080' } = process.env;
// In a real program these two are in its database: a message may come again, and must not be lost after the 204.
const seen = new Set();
const work = [];

const server = createServer(async (request, response) => {
  try {
    const { data } = await verifyWebhook(secret, request.headers, await readBody(request));
    const id = request.headers['webhook-id'];
    if (!seen.has(id)) work.push(...data.value);
    seen.add(id);
    response.writeHead(204).end();
  } catch (error) {
    // The sender has gone in the middle, for example.
    if (!(error instanceof InventoryError)) return response.destroy();
    response.writeHead(400).end(error.message);
  }
  for (const change of work.splice(0)) handle(change);
});

async function readBody(request) {
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    chunks.push(chunk);
    length += chunk.length;
    // A message has 256 KB at most.
    if (length > 1_000_000) throw new Error('too large');
  }
  return Buffer.concat(chunks);
}

function handle(change) {
  if (change.type === 'stock')
    console.log(`${change.kind} of ${change.itemID}, transaction ${change.transactionNo}`);
  else console.log(change.type);
}

server.listen(Number(port), '127.0.0.1', () => console.log(`listening on ${server.address().port}`));
process.once('SIGTERM', () => server.close());
