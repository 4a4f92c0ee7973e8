-- What more of the lists is found by; docs/reads.md has what each costs.

-- Changes when a whole lot is moved.
create index lot_spot_idx on lot (spot) where spot <> '';

-- Levels change with every transaction. A summary of a few pages each, not of rows: their updates stay HOT, and what has changed
-- since a moment is found by reading the pages that have changed since.
create index stock_level_modified_idx on stock_level using brin (modified) with (pages_per_range = 4, autosummarize = on);
