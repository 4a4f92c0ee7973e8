/** The headers of every JSON answer: stock changes, and an answer for one client is for no other. */
export const jsonHeaders = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const;
