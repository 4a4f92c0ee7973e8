-- Runs outside a transaction.
-- It was for the gaps in a device's numbers; the history by `deviceID` has an index of its own.
drop index concurrently if exists stock_transaction_device_idx;
