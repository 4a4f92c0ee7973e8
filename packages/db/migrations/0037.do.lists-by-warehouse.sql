-- Runs outside a transaction.
-- What a filter of a list leaves is found and counted in the caller's warehouses alone, so that nothing can be told of others.

-- Lots by what is scanned, by job and by when they changed. The spot's serves picks, too.
create index concurrently if not exists lot_serial_wid_idx on lot (serial, wid) where serial <> '';
drop index concurrently if exists lot_serial_idx;
create index concurrently if not exists lot_serial2_wid_idx on lot (serial2, wid) where serial2 is not null;
drop index concurrently if exists lot_serial2_idx;
create index concurrently if not exists lot_rfid_wid_idx on lot (rfid_tag, wid) where rfid_tag is not null;
drop index concurrently if exists lot_rfid_idx;
create index concurrently if not exists lot_job_wid_idx on lot (job_id, wid) where job_id <> 0;
drop index concurrently if exists lot_job_idx;
create index concurrently if not exists lot_wid_modified_idx on lot (wid, modified);
drop index concurrently if exists lot_modified_idx;
create index concurrently if not exists lot_spot_wid_idx
  on lot (spot, wid, part_no, active, hold, (coalesce(expires, 'infinity')), received, rec_no) where spot <> '';
drop index concurrently if exists lot_spot_idx;

-- Transactions by their first warehouse, and the few between two by their second. All of an item's may be a hundred thousand: they are
-- counted and sorted in the index alone.
create index concurrently if not exists stock_transaction_item_wid_idx
  on stock_transaction (part_no, wid, transaction_no) include (to_wid) where wid is not null;
create index concurrently if not exists stock_transaction_item_to_wid_idx on stock_transaction (part_no, to_wid) where to_wid is not null;
drop index concurrently if exists stock_transaction_item_idx;
create index concurrently if not exists stock_transaction_wid_at_idx on stock_transaction (wid, at) where wid is not null;
create index concurrently if not exists stock_transaction_to_wid_at_idx on stock_transaction (to_wid, at) where to_wid is not null;
drop index concurrently if exists stock_transaction_at_idx;
create index concurrently if not exists stock_transaction_reference_wid_idx
  on stock_transaction ((body->>'reference'), wid) where wid is not null and body->>'reference' is not null;
create index concurrently if not exists stock_transaction_reference_to_wid_idx
  on stock_transaction ((body->>'reference'), to_wid) where to_wid is not null and body->>'reference' is not null;
drop index concurrently if exists stock_transaction_reference_idx;
create index concurrently if not exists stock_transaction_device_wid_idx
  on stock_transaction (device_id, wid) where device_id is not null and wid is not null;
create index concurrently if not exists stock_transaction_device_to_wid_idx
  on stock_transaction (device_id, to_wid) where device_id is not null and to_wid is not null;
drop index concurrently if exists stock_transaction_device_id_idx;
