import { z } from 'zod';

/** The `outcome` of a 503 that does not mean "not applied". */
export const Outcome = z
  .enum(['unknown', 'applied'])
  .describe(
    'Extension: only with 503. `unknown`: whether it was applied is not known. `applied`: it was, and only its answer could ' +
      'not be given. Without it, nothing was applied',
  );
