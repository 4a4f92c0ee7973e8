/** Of every JSON answer: what is true of stock now is not later, and what was meant for one client is for no other. */
export const jsonHeaders = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const;
