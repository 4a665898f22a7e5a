-- What every instance has before its numbered migrations.

create table if not exists setting (
  key text primary key,
  value text,
  ciphertext text,
  key_id text,
  updated_at text not null,
  check ((value is null) <> (ciphertext is null)),
  check ((ciphertext is null) = (key_id is null))
);
