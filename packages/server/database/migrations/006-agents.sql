-- What a run was asked with besides its words, and what it goes on from. A run without a row has none.
create table if not exists run_request (
  run_id text primary key references run (id) on delete cascade,
  -- JSON: parts of the page that were picked, and pictures.
  elements text not null default '[]',
  attachments text not null default '[]',
  -- The run whose work or instruction this one takes up.
  origin_run text references run (id) on delete set null,
  origin text check (origin in ('continue', 'reapply')),
  -- What a restore brings back: the site without one change, or as it was after it.
  restore text check (restore in ('undo', 'version')),
  check ((origin_run is null) or (origin is not null))
);

create index if not exists run_request_by_origin on run_request (origin_run);

-- What was said between a run's agent and its model so far, as JSON of the agent's own: what goes on
-- later goes on from here.
create table if not exists run_conversation (
  run_id text primary key references run (id) on delete cascade,
  conversation text not null,
  updated_at text not null
);

-- What the owner says while a run works.
create table if not exists run_message (
  id {{id}},
  run_id text not null references run (id) on delete cascade,
  text text not null,
  elements text not null default '[]',
  attachments text not null default '[]',
  status text not null check (status in ('waiting', 'delivered', 'withdrawn')),
  created_at text not null,
  delivered_at text
);

create index if not exists run_message_by_run on run_message (run_id, id);

-- What the checks said of a run's preview.
create table if not exists run_check (
  run_id text primary key references run (id) on delete cascade,
  -- The artifact that was checked.
  artifact_sha text not null,
  report text not null,
  created_at text not null
);

-- That a preview waits, told by mail to an owner who has left: one row for each run that may need it.
create table if not exists run_notice (
  run_id text primary key references run (id) on delete cascade,
  due_at text not null,
  settled_at text,
  -- seen, mailed, logged, failed; null while it is due.
  outcome text
);

create index if not exists run_notice_due on run_notice (settled_at, due_at);

-- What models were used for and what it came to; ceilings of a day and a month are counted from here.
create table if not exists model_use (
  id {{id}},
  at text not null,
  purpose text not null check (purpose in ('edit', 'ask', 'draft', 'design', 'qa', 'test')),
  run_id text references run (id) on delete set null,
  model text not null,
  -- input_tokens counts those read from the provider's cache too.
  input_tokens integer not null,
  cached_tokens integer not null default 0,
  output_tokens integer not null,
  cost double precision,
  -- What the cost is in, such as USD; null where it isn't said.
  currency text
);

create index if not exists model_use_by_time on model_use (at);

create index if not exists model_use_by_run on model_use (run_id);

-- Pictures that agents are shown and the site never gets; their files lie in the instance's data.
create table if not exists reference_image (
  id text primary key,
  name text not null,
  mime text not null,
  bytes integer not null,
  width integer not null,
  height integer not null,
  created_at text not null
);

-- What the owner wants each kind of agent to go by.
create table if not exists source (
  id {{id}},
  agent text not null check (agent in ('editor', 'designer', 'drafter', 'qa', 'all')),
  title text not null,
  url text not null default '',
  notes text not null default '',
  position integer not null,
  enabled integer not null default 1,
  created_at text not null,
  updated_at text not null
);

create index if not exists source_by_position on source (position, id);
