-- The one admin: sign-in secrets as hashes, the log of attempts, sessions, bearer tokens.
create table if not exists admin_account (
  id integer primary key check (id = 1),
  password_hash text,
  password_set_at text,
  token_hash text,
  token_set_at text,
  version integer not null default 0
);

create table if not exists admin_log (
  id {{id}},
  at text not null,
  method text not null check (method in ('password', 'link')),
  outcome text not null check (outcome in ('success', 'failure', 'throttled')),
  ip text not null,
  user_agent text not null
);

create index if not exists admin_log_outcome on admin_log (outcome, id);

create table if not exists admin_session (
  id_hash text primary key,
  account_version integer not null,
  created_at text not null,
  last_seen_at text not null,
  expires_at text not null,
  ip text not null,
  user_agent text not null
);

create index if not exists admin_session_last_seen on admin_session (last_seen_at);

create table if not exists api_token (
  id {{id}},
  name text not null,
  token_hash text not null unique,
  scopes text not null,
  created_at text not null,
  last_used_at text,
  expires_at text,
  revoked_at text
);

create unique index if not exists api_token_live_name on api_token (name) where revoked_at is null;
