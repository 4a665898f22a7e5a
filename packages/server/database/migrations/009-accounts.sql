-- Somebody who may see what is for members. `email` is kept in small letters.
create table if not exists user_account (
  id {{id}},
  email text not null unique,
  name text not null default '',
  -- PHC string of argon2id; null for who signs in by a provider only.
  password_hash text,
  password_set_at text,
  -- Null while nobody has shown that the address is theirs.
  email_verified_at text,
  created_at text not null,
  updated_at text not null
);

create table if not exists user_session (
  id_hash text primary key,
  user_id integer not null references user_account (id) on delete cascade,
  created_at text not null,
  last_seen_at text not null,
  expires_at text not null,
  -- How it began: password, a provider's id, or a link that was mailed.
  method text not null,
  ip text not null,
  user_agent text not null
);
create index if not exists user_session_by_user on user_session (user_id);
create index if not exists user_session_last_seen on user_session (last_seen_at);

-- What a link in a mail carries: SHA-256 of it, for one purpose and one use.
create table if not exists user_token (
  token_hash text primary key,
  purpose text not null check (purpose in ('verify', 'reset', 'invite')),
  email text not null,
  -- Null for an invitation to somebody who has no account yet.
  user_id integer references user_account (id) on delete cascade,
  created_at text not null,
  expires_at text not null,
  used_at text
);
create index if not exists user_token_by_email on user_token (email, purpose);

-- Who a user is elsewhere.
create table if not exists linked_account (
  id {{id}},
  user_id integer not null references user_account (id) on delete cascade,
  provider text not null,
  issuer text not null,
  subject text not null,
  -- What the provider said when it was linked; for the eye only.
  email text not null default '',
  created_at text not null,
  last_used_at text,
  unique (issuer, subject)
);
create index if not exists linked_account_by_user on linked_account (user_id);

-- A sign-in at a provider that has begun: SHA-256 of its state, good for one return.
create table if not exists oauth_flow (
  state_hash text primary key,
  provider text not null,
  created_at text not null,
  expires_at text not null
);

-- Whom a project is for when it is not for everybody; no row is for everybody.
create table if not exists project_audience (
  project_id integer primary key references project (id) on delete cascade,
  audience text not null check (audience in ('members', 'invited'))
);

-- Files that a project not for everybody has shown: public only where a public project shows them,
-- also once that project is gone.
create table if not exists media_restricted (
  media_id integer primary key references media (id) on delete cascade
);

create table if not exists invitation (
  id {{id}},
  project_id integer not null references project (id) on delete cascade,
  email text not null,
  note text not null default '',
  created_at text not null,
  revoked_at text,
  -- The last mail about it.
  mail_id integer
);
create unique index if not exists invitation_live
  on invitation (project_id, email) where revoked_at is null;
create index if not exists invitation_by_email on invitation (email);

-- Who opened which project, how often; kept under the address when the account is gone.
create table if not exists project_visit (
  id {{id}},
  project_id integer not null references project (id) on delete cascade,
  user_id integer references user_account (id) on delete set null,
  email text not null,
  first_at text not null,
  last_at text not null,
  visits integer not null default 1,
  unique (project_id, email)
);

-- The builds that are served after a look at the session: one for all that is for members
-- ("members"), one for each project that is for those invited to it ("project-<id>").
create table if not exists members_build (
  name text primary key,
  -- What it was made of, "" before the first; another key means that it is to be made again.
  made_of text not null,
  -- JSON: the projects not for everybody in it, as they were then ({id, slug, version}).
  projects text not null default '[]',
  -- JSON: the ids of those for everybody.
  public_ids text not null default '[]',
  artifact text,
  built_at text,
  error text,
  failed_at text
);

-- Mail that is to leave, or has. What it says is sealed, and gone once it has left.
create table if not exists outbox_mail (
  id {{id}},
  purpose text not null,
  recipient text not null,
  subject text not null,
  ciphertext text,
  key_id text,
  status text not null check (status in ('waiting', 'sending', 'sent', 'logged', 'failed')),
  attempts integer not null default 0,
  created_at text not null,
  -- Not before; for one that is being sent: until then it is its sender's.
  due_at text not null,
  -- http, smtp or log; null until it has left.
  sent_by text,
  sent_at text,
  -- JSON: why the attempts before failed, in plain words without secrets.
  failures text not null default '[]',
  check ((ciphertext is null) = (key_id is null))
);
create index if not exists outbox_mail_due on outbox_mail (status, due_at);
create index if not exists outbox_mail_by_time on outbox_mail (created_at);

create table if not exists contact_message (
  id {{id}},
  name text not null,
  email text not null,
  message text not null,
  at text not null,
  ip text not null,
  user_agent text not null default '',
  read_at text,
  -- The mail that told the owner.
  mail_id integer
);
create index if not exists contact_message_by_time on contact_message (at);
