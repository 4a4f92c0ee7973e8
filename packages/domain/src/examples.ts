/** Named examples of one body or answer. */
export type Examples = Record<string, { summary: string; value: unknown }>;

/** Returns a single example. */
export function one(summary: string, value: unknown): Examples {
  return { example: { summary, value } };
}
