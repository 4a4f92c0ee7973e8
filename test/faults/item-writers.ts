import { pause } from './fault.ts';
import type { Send } from './send.ts';
import type { Answer, ItemKind, Told } from './told.ts';

/**
 * Creates items, changes each once and discontinues it. Each write leaves a mark of its own (the item, its
 * description, discontinued), so that every answer can be compared with the table at the end.
 */
export async function writeItems(
  writer: number,
  callers: {
    send: Send;
    note: (kind: ItemKind, itemId: string, reference: string, answer: Answer) => Told;
    isRunning: () => boolean;
  },
): Promise<void> {
  const { send, note, isRunning } = callers;
  for (let turn = 0; isRunning(); turn++) {
    const shortID = `NEW-${writer}-${turn}`;
    const writes = [
      ['create item', 'POST', '/Item', { shortID, description: `created as ${shortID}` }],
      ['change item', 'PUT', '/Item', { shortID, description: `changed as ${shortID}` }],
      ['discontinue item', 'DELETE', `/Item/${shortID}`, undefined],
    ] as const;
    for (const [kind, method, path, body] of writes) {
      const answer = await send(method, path, body);
      if (answer.status === -1) return;
      note(kind, shortID, `${kind} ${shortID}`, answer);
      await pause(10);
    }
  }
}
