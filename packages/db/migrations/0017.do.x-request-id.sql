-- What a caller named its request, to find the transaction by what a log or the caller's own system says. Null: the caller named nothing, and
-- was told request_id as X-Request-Id; or the transaction is older than this column. So callers that name nothing cost nothing.
-- Without a default or a check it is added at once, however many rows there are; the api bounds it, and the worker looks again.
-- No index: a proxy names every request, and an index over what it draws would cost every batch; whoever looks for one knows about when it was.
alter table stock_transaction
  add column x_request_id text collate "C";
