-- Holds are stock transactions too, so the worker tells them in the change feed (docs/decisions/0043).
grant insert on change to inventory_worker;
