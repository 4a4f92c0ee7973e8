import { z } from 'zod';
import { type KindName, kindNames, kindOf, type kinds } from '../kinds/kinds.ts';

type ReasonedName = {
  [Name in KindName]: (typeof kinds)[Name]['body']['shape'] extends { reasonCode: unknown } ? Name : never;
}[KindName];

/** The operations that have a reason. */
export const reasonedNames = kindNames.filter((name) => 'reasonCode' in kindOf(name).body.shape) as [
  ReasonedName,
  ...ReasonedName[],
];

/** What a reason code means, as the operator has named it. */
export const Reason = z
  .object({
    reasonCode: z.int().describe('The code, as operations send it'),
    name: z.string().describe('Its name'),
    operations: z.array(z.enum(reasonedNames)).describe('The operations for which it is meant'),
  })
  .meta({ id: 'Reason' });
export type Reason = z.infer<typeof Reason>;
