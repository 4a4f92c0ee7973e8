-- A key's public half, and its life. Private halves stay alone in signing_key, so that reading them can be granted alone; they are
-- deleted when the key no longer signs.

create table verifying_key (
  kid text primary key,
  public_jwk json not null,
  created timestamptz(3) not null default clock_timestamp(),
  -- From then on it signs, until it is retired. A new one waits a minute, so that every process knows it first.
  signs_from timestamptz(3) not null,
  -- When its successor signs. Its last token is an hour younger.
  retired timestamptz(3) check (retired >= signs_from),
  -- Nothing that it signed is good any more.
  withdrawn timestamptz(3)
);

insert into verifying_key (kid, public_jwk, created, signs_from, retired)
select kid,
  (private_jwk::jsonb - 'd')::json,
  created,
  case when created = min(created) over () then created else created + interval '60 seconds' end,
  lead(created) over (order by created, kid desc) + interval '60 seconds'
from signing_key;

alter table signing_key add constraint signing_key_kid_fkey foreign key (kid) references verifying_key on delete cascade;

-- A secret may end by itself; null: it does not.
alter table client_secret add column expires timestamptz(3);
