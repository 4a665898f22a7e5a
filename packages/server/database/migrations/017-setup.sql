-- What the owner has answered in the set-up so far; one row, once something is answered.
create table if not exists setup (
  id integer primary key check (id = 1),
  -- JSON: Answers; what isn't in it has not been answered.
  answers text not null,
  updated_at text not null,
  -- Since when the overview doesn't show what is open; null while it does.
  dismissed_at text
);
-- For a run that carries out a form instead of an instruction, JSON: {name, input}. Null for all others.
alter table run_request add column form text;
