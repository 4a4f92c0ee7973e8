// Keeps a copy of all lots, items and stock levels in SQLite. Needs Node 22.13 or newer, which has SQLite built in.
// Stop it at any time: it goes on where it was.
import { DatabaseSync } from 'node:sqlite';
import { InventoryClient } from '@inventory/client';

const {
  BASE_URL: baseUrl,
  CLIENT_ID: clientId,
  CLIENT_SECRET: clientSecret,
  DATABASE = 'inventory.db',
} = process.env;

const database = new DatabaseSync(DATABASE);
// Others may read meanwhile, and may write for some seconds.
database.exec(`
  pragma journal_mode = wal;
  pragma busy_timeout = 5000;
  create table if not exists record (kind text, key text, record text, primary key (kind, key)) without rowid;
  create table if not exists position (id integer primary key check (id = 1), at text);
  create view if not exists lot as
    select record ->> 'recNo' as recNo, record ->> 'shortID' as shortID, record ->> 'wID' as wID,
      record ->> 'spot' as spot, record ->> 'units' as units, record
    from record where kind = 'lot';
  create view if not exists stock_level as
    select record ->> 'partNo' as partNo, record ->> 'wID' as wID, record ->> 'available' as available,
      record ->> 'inStock' as inStock, record
    from record where kind = 'level';
`);
const put = database.prepare('insert or replace into record values (?, ?, ?)');
const moveTo = database.prepare('insert or replace into position values (1, ?)');

const store = {
  position: () => database.prepare('select at from position').get()?.at,
  // Both or neither, too: a position without its records would leave them out for good.
  clear: () => database.exec('begin; delete from record; delete from position; commit'),
  upsert(records, position) {
    // Records and position together: after a crash, neither is ahead of the other.
    database.exec('begin');
    for (const { kind, key, record } of records) put.run(kind, String(key), JSON.stringify(record));
    moveTo.run(position);
    database.exec('commit');
  },
};

const inventory = new InventoryClient({ baseUrl, clientId, clientSecret });
const mirror = inventory.mirror({ store, onError: ({ message }) => console.error(`waiting: ${message}`) });
process.once('SIGTERM', () => mirror.close());
process.once('SIGINT', () => mirror.close());
const tell = () => {
  const { lots } = database.prepare('select count(*) as lots from lot').get();
  console.log(`caught up: ${lots} lots; following every change`);
};
// Not if it is stopped before that, or the store fails: `ended` knows which.
mirror.caughtUp().then(tell, () => {});
await mirror.ended;
database.close();
