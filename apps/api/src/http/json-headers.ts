/**
 * The headers of every JSON answer. Answers must not be cached: stock changes, and each answer is for one
 * client only.
 */
export const jsonHeaders = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
};
