-- Runs: one agent edit or restore each, and what happened in it, in order.

create table if not exists run (
  id text primary key,
  kind text not null check (kind in ('edit', 'restore')),
  mode text not null check (mode in ('build', 'ask')),
  instruction text not null,
  page_url text,
  restores text references run (id),
  status text not null check (status in (
    'queued', 'running', 'building', 'preview_ready', 'publishing', 'published',
    'discarded', 'failed', 'cancelled', 'interrupted'
  )),
  model text not null,
  actor text not null,
  steps integer not null default 0,
  input_tokens integer not null default 0,
  output_tokens integer not null default 0,
  cost double precision,
  base_commit text,
  commit_sha text,
  release_number integer,
  -- JSON: [{path, added, removed}] of the workspace against its base.
  files_changed text not null default '[]',
  -- JSON: the same with status and patch.
  diff text not null default '[]',
  message text not null default '',
  summary text not null default '',
  error text,
  -- JSON of the changelog entry that the artifact was built with.
  changelog text,
  artifact_sha text,
  -- JSON: {pages, files, bytes, durationMs}.
  artifact_stats text,
  -- The git tree of the workspace that the artifact was built from.
  workspace_tree text,
  -- SHA-256 of the exported data that the artifact was built with.
  snapshot_hash text,
  created_at text not null,
  started_at text,
  finished_at text
);

create index if not exists run_by_status on run (status, created_at);
create index if not exists run_by_time on run (created_at);

create table if not exists run_event (
  run_id text not null references run (id) on delete cascade,
  seq integer not null,
  type text not null,
  data text not null,
  at text not null,
  primary key (run_id, seq)
);
