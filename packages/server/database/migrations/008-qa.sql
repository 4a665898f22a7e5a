-- One look at the whole running site.
create table if not exists qa_pass (
  id {{id}},
  trigger_kind text not null check (trigger_kind in ('manual', 'heartbeat', 'task')),
  status text not null check (status in ('running', 'finished', 'failed', 'aborted')),
  -- The runner that is at it; null for a program that came by the command line.
  runner_id text,
  requested_by text not null default '',
  started_at text not null,
  finished_at text,
  -- When its worker last said how far it is, by the database's clock.
  seen_at text not null,
  -- Asked to end.
  stop_at text,
  -- JSON: how far it is; null when it is over.
  progress text,
  pages integer not null default 0,
  links integer not null default 0,
  browser_pages integer not null default 0,
  -- 1 when nothing of the site had changed since the last.
  unchanged integer not null default 0,
  -- JSON: {error, warning, notice}, of what is open after it.
  counts text not null default '{"error":0,"warning":0,"notice":0}',
  fresh integer not null default 0,
  fixed integer not null default 0,
  reopened integer not null default 0,
  -- JSON: [{what, why}], what could not be checked.
  not_run text not null default '[]',
  summary text,
  summary_by text check (summary_by in ('model', 'plain')),
  error text
);

-- One pass at a time, whatever runs: the second insert is refused.
create unique index if not exists qa_pass_running on qa_pass (status) where status = 'running';

-- What is wrong with the site, across passes.
create table if not exists finding (
  id {{id}},
  fingerprint text not null unique,
  check_id text not null,
  category text not null,
  scope text not null check (scope in ('page', 'site', 'external', 'probe', 'browser')),
  severity text not null check (severity in ('error', 'warning', 'notice')),
  critical integer not null default 0,
  confidence text not null check (confidence in ('confirmed', 'likely', 'review')),
  -- What found it, with its version.
  engine text not null,
  page_url text not null,
  target text,
  message text not null,
  -- JSON: an object, by the check.
  evidence text not null default '{}',
  -- JSON: [{page, selector, line, text}], the first 50; and how many there are, on how many pages.
  occurrences text not null default '[]',
  occurrence_count integer not null default 1,
  page_count integer not null default 1,
  safe integer not null default 0,
  status text not null check (status in ('open', 'queued', 'fixed', 'ignored')),
  instruction text,
  task_id integer references task (id) on delete set null,
  -- What has it ignored, and the last rule that was there when it was opened again by hand: none up
  -- to that one holds for it.
  ignore_id integer,
  exempt integer not null default 0,
  -- 1 when its pages were visited when it was seen: then only another visit can tell that it is gone.
  on_visit integer not null default 1,
  -- The program that brought it by the command line; null for what a pass of our own has found.
  reporter text,
  first_seen_at text not null,
  last_seen_at text not null,
  -- Since when it is gone; what is ignored stays so all the same.
  fixed_at text,
  seen_count integer not null default 1,
  -- Passes go, these stay: no reference.
  first_pass_id integer not null,
  last_pass_id integer not null
);

create index if not exists finding_by_status on finding (status, severity, check_id);

create index if not exists finding_by_check on finding (check_id, status);

create index if not exists finding_by_task on finding (task_id);

-- What each of the kept passes had to do with a finding.
create table if not exists finding_pass (
  pass_id integer not null references qa_pass (id) on delete cascade,
  finding_id integer not null references finding (id) on delete cascade,
  state text not null check (state in ('new', 'seen', 'fixed', 'reopened')),
  primary key (pass_id, finding_id)
);

create index if not exists finding_pass_by_finding on finding_pass (finding_id);

-- What the owner does not want to hear of: one finding, or all of a check, on one page or on all.
create table if not exists finding_ignore (
  id {{id}},
  kind text not null check (kind in ('finding', 'rule', 'baseline')),
  fingerprint text,
  check_id text,
  page_url text,
  reason text not null,
  created_by text not null,
  created_at text not null,
  expires_at text
);

create index if not exists finding_ignore_by_fingerprint on finding_ignore (fingerprint);

-- Repairs that were asked for, so that the same is not asked for twice within hours.
create table if not exists finding_fix (
  id {{id}},
  finding_id integer not null references finding (id) on delete cascade,
  task_id integer not null references task (id) on delete cascade,
  -- SHA-256 of what is to be done.
  instruction_hash text not null,
  automatic integer not null,
  created_at text not null
);

create index if not exists finding_fix_by_finding on finding_fix (finding_id, created_at);

create index if not exists finding_fix_by_task on finding_fix (task_id);

-- What the site answered last, so that what has not changed is not looked at again.
create table if not exists qa_resource (
  -- SHA-256 of the address, which may be longer than an index takes.
  id text primary key,
  -- JSON: KnownResource.
  known text not null,
  -- Of a page that whole passes have not met: 1 when one that had trouble has missed it, 2 when
  -- another has. The next one that misses it knows that it has left the site.
  missed integer not null default 0
);

-- Addresses of others, as they were last.
create table if not exists qa_external (
  -- SHA-256 of the address.
  id text primary key,
  -- JSON: KnownExternal.
  known text not null
);

-- What holds of the site as a whole: one row.
create table if not exists qa_site (
  id integer primary key check (id = 1),
  -- JSON: KnownSite.
  known text not null
);
