-- Where copies of the public site are sent after each publish. What is secret in `settings` is
-- encrypted apart; `state` is what a target's kind remembers between deliveries.
create table if not exists publish_target (
  id {{id}},
  name text not null,
  kind text not null check (kind in ('s3', 'git', 'rsync', 'netlify', 'cloudflare')),
  settings text not null,
  ciphertext text,
  key_id text,
  enabled integer not null default 1,
  -- Counts changes after which the same release has to be sent again.
  revision integer not null default 1,
  sent_release integer,
  sent_revision integer,
  sent_at text,
  sent_files integer not null default 0,
  sent_bytes bigint not null default 0,
  -- The delivery that runs, or was interrupted or failed.
  release integer,
  total_files integer not null default 0,
  done_files integer not null default 0,
  attempts integer not null default 0,
  next_attempt_at text,
  error text,
  state text,
  created_at text not null,
  updated_at text not null
);

-- What a target holds, by path. An empty mark is for what may be there or not: it is about to be
-- sent or removed.
create table if not exists publish_target_file (
  target_id integer not null references publish_target (id) on delete cascade,
  path text not null,
  mark text not null,
  primary key (target_id, path)
);
