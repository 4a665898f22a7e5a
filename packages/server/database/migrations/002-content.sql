create table if not exists media (
  id {{id}},
  kind text not null check (kind in ('image', 'video')),
  src text not null unique,
  original_name text not null,
  mime text not null,
  bytes bigint not null,
  original_bytes bigint not null,
  width integer not null,
  height integer not null,
  duration real,
  has_alpha integer not null default 0,
  animated integer not null default 0,
  poster text,
  placeholder text,
  variants text not null default '[]',
  sha256 text not null unique,
  alt text not null default '',
  created_at text not null
);

create table if not exists project (
  id {{id}},
  slug text not null unique,
  name text not null,
  status text not null check (status in ('draft', 'published', 'archived')),
  summary text not null default '',
  lede text not null default '',
  body text not null default '',
  kind text not null default '',
  period text not null default '',
  role text not null default '',
  categories text not null default '[]',
  stack text not null default '[]',
  skills text not null default '[]',
  metrics text not null default '[]',
  gallery text not null default '[]',
  reel_url text,
  position integer not null,
  version integer not null default 1,
  created_at text not null,
  updated_at text not null
);

create index if not exists project_by_status on project (status, position);

create table if not exists project_redirect (
  slug text primary key,
  project_id integer not null references project (id) on delete cascade,
  created_at text not null
);

create table if not exists changelog_entry (
  id {{id}},
  kind text not null,
  title text not null,
  detail text not null default '',
  at text not null,
  actor text not null,
  source text not null check (source in ('seed', 'app')),
  commit_sha text,
  -- What the entry says, for a seeded one: seeding twice, also at once, finds it there.
  seed_key text unique,
  created_at text not null,
  check ((source = 'seed') = (seed_key is not null))
);

create index if not exists changelog_entry_by_time on changelog_entry (at desc, id desc);
