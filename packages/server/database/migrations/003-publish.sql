-- One row per publish that has begun: the record by which an unfinished one is settled at boot.
-- state: open (nothing has reached main), ready (all is prepared, main may have moved), done.
-- A publish that is rolled back leaves no row.
create table if not exists publish_intent (
  id {{id}},
  run_id text not null unique,
  state text not null check (state in ('open', 'ready', 'done')),
  actor text not null,
  base_commit text not null,
  workspace_tree text not null,
  artifact text not null,
  change_json text,
  commit_sha text,
  release_number integer,
  created_at text not null,
  finished_at text
);
create index if not exists publish_intent_state on publish_intent (state);
