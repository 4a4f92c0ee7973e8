/** Why a Redis that answers refuses work, with the words for it. */
const words = {
  replicas: 'fewer replicas are attached than min-replicas-to-write asks for',
  memory: 'its memory is full',
  disk: 'it cannot save to its disk',
  readOnly: 'it is a replica',
} as const;

export type RedisRefusal = keyof typeof words;

export function describeRefusal(refusal: RedisRefusal): string {
  return words[refusal];
}

const refusalOf: Readonly<Record<string, RedisRefusal>> = {
  NOREPLICAS: 'replicas',
  OOM: 'memory',
  MISCONF: 'disk',
  READONLY: 'readOnly',
};

/** Why Redis refused a command; null for other errors. In scripts, Redis 6 has the code in the middle. */
export function whyRefused(error: unknown): RedisRefusal | null {
  const code = /(?:^|-)(NOREPLICAS|OOM|MISCONF|READONLY)\b/.exec((error as Error).message)?.[1];
  return code === undefined ? null : refusalOf[code]!;
}
