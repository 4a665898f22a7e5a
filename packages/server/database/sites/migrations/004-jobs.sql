-- Creations and removals of sites that pages of sites have started, for all nodes.
create table if not exists site_job (
  -- Of this attempt.
  token text primary key,
  name text not null,
  kind text not null,
  -- The node that does it.
  node text not null,
  state text not null,
  progress text,
  started_at text not null,
  -- By the database's clock: a job that runs renews it, so one whose time has passed was interrupted.
  until text not null,
  ended_at text,
  -- The sign-in link of a new site, encrypted.
  sealed_link text,
  key_id text,
  error_code text,
  error_message text
);

create index if not exists site_job_name on site_job (name);
