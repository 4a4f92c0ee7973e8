-- The tokens of a client end with the secrets they came of, and an id that was given once is never given again.

-- Tokens issued before are refused, whenever they expire; null: none is. Whole seconds, as a token has them.
alter table client add column tokens_from timestamptz(0);

grant update (tokens_from) on client to inventory_operator;

-- Behind the insert: it has waited for a removal of this id that was under way, and sees what that has left.
drop trigger client_is_no_former_one on client;

create trigger client_is_no_former_one after insert on client
  for each row execute function refuse_former_client();
