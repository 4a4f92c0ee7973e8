-- Holds are stock transactions too, so the worker tells them in the change feed (docs/decisions/0043). They are in the
-- list of transactions, and their changes have numbers of their own; those by the command line are not, and have not.
grant insert on change to inventory_worker;
