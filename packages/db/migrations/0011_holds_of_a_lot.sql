-- Runs outside a transaction.
-- Holds have no lines, so the history of a lot finds them by its number.
create index concurrently if not exists stock_transaction_hold_idx
  on stock_transaction (((result->>'recNo')::bigint)) where kind = 'hold' and wid is not null;
