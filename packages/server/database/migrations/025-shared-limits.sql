-- Attempts that count towards a limit at all nodes of an instance; unused otherwise. Keys are hashes.
create table if not exists stored_attempt (
  id {{id}},
  key_hash text not null,
  -- When it no longer counts.
  expires_at text not null
);
create index if not exists stored_attempt_key on stored_attempt (key_hash, expires_at);
create index if not exists stored_attempt_expiry on stored_attempt (expires_at);
