-- Runs outside a transaction.
-- Stock as it was: the moves of an item into a warehouse since a transaction, without those before it.
create index concurrently if not exists stock_transaction_item_to_wid_no_idx
  on stock_transaction (part_no, to_wid, transaction_no) where to_wid is not null;
drop index concurrently if exists stock_transaction_item_to_wid_idx;
-- The last holds of a lot, however many it has.
create index concurrently if not exists stock_transaction_hold_no_idx
  on stock_transaction (((result->>'recNo')::bigint), transaction_no) where kind = 'hold' and wid is not null;
drop index concurrently if exists stock_transaction_hold_idx;
