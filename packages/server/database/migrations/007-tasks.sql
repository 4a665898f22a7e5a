-- The runner processes that share this instance. One that ends well takes its row along.
create table if not exists runner (
  id text primary key,
  -- The machine it runs on: its name and which of its starts this is.
  host text not null,
  pid integer not null,
  port integer not null,
  started_at text not null,
  -- When it last said that it lives, by the database's clock.
  seen_at text not null,
  -- When another one took it for dead; one that lives after all sees that and takes it back.
  gone_at text
);

-- Which runner works on a run: another one leaves it alone while that one lives.
create table if not exists run_owner (
  run_id text primary key references run (id) on delete cascade,
  runner_id text not null
);

create index if not exists run_owner_by_runner on run_owner (runner_id);

-- Design jobs that wait for an agent, and what became of them.
create table if not exists task (
  id {{id}},
  kind text not null check (kind in ('edit', 'project', 'qa-fix')),
  title text not null,
  instruction text not null,
  page_url text,
  project_id integer references project (id) on delete set null,
  finding_id integer,
  -- JSON: ids of media.
  attachments text not null default '[]',
  priority integer not null default 0 check (priority between -1 and 1),
  status text not null check (status in (
    'queued', 'claimed', 'building', 'published', 'reverted', 'needs_review', 'cancelled', 'failed'
  )),
  -- How often a worker has begun with it since it was last queued by a person.
  attempts integer not null default 0,
  -- A queued task that waits: until when by the database's clock, and why.
  not_before text,
  waiting text,
  -- The claim: who holds it, the SHA-256 of its token, how long it lasts (ms) and until when by the
  -- database's clock, and since when it is taken for lapsed.
  claimed_by text,
  claim_hash text,
  lease_ms integer,
  lease_expires_at text,
  lapsed_at text,
  run_id text references run (id) on delete set null,
  commit_sha text,
  error text,
  -- JSON: why a person has to look before it goes live.
  review text not null default '[]',
  approved_at text,
  approved_by text,
  -- Who asked for it.
  actor text not null,
  created_at text not null,
  updated_at text not null,
  started_at text,
  finished_at text,
  check ((claim_hash is null) = (status not in ('claimed', 'building')))
);

-- What is claimed next: found without looking at what is over. The state comes first although it is
-- the same in all of it: else SQLite takes task_by_status and sorts all that waits.
create index if not exists task_queue on task (status, priority desc, id) where status = 'queued';

create index if not exists task_by_status on task (status, updated_at);

create index if not exists task_by_claim on task (lease_expires_at) where claim_hash is not null;

create index if not exists task_by_run on task (run_id);

create index if not exists task_by_finding on task (finding_id);

-- The runs by which a task was worked on.
create table if not exists run_task (
  run_id text primary key references run (id) on delete cascade,
  task_id integer not null references task (id) on delete cascade,
  attempt integer not null
);

create index if not exists run_task_by_task on run_task (task_id);

-- What happened to a task, for people to read.
create table if not exists task_event (
  id {{id}},
  task_id integer not null references task (id) on delete cascade,
  type text not null,
  message text not null default '',
  at text not null
);

create index if not exists task_event_by_task on task_event (task_id, id);

-- Mails about tasks that a person has to look at, written with what they tell of.
create table if not exists task_notice (
  id {{id}},
  task_id integer not null references task (id) on delete cascade,
  kind text not null check (kind in ('needs_review', 'failed')),
  created_at text not null,
  settled_at text,
  outcome text
);

create index if not exists task_notice_due on task_notice (settled_at, id);
