-- The registry of an installation's further sites. It is a database of its own (SQLite) or a schema of its own (PostgreSQL).

create table if not exists site (
  id text primary key,
  status text not null,
  base_url text not null,
  moved_to text,
  wake_at text,
  created_at text not null,
  changed_at text not null
);

create index if not exists site_wake_at on site (wake_at) where wake_at is not null;

create table if not exists site_domain (
  domain text primary key,
  site_id text not null references site (id),
  created_at text not null
);

create index if not exists site_domain_site on site_domain (site_id);
