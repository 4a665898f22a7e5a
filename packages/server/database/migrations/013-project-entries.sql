-- Changelog entries that a change of a project has written, and entries that visitors are not shown.
create table if not exists project_entry (
  entry_id integer primary key references changelog_entry (id) on delete cascade,
  -- No reference: an entry outlives its project.
  project_id integer not null,
  -- published, changed or unpublished
  event text not null,
  -- JSON: the names of the fields that were changed.
  fields text not null
);

create index if not exists project_entry_by_project on project_entry (project_id, entry_id);

create table if not exists changelog_hidden (
  entry_id integer primary key references changelog_entry (id) on delete cascade,
  hidden_at text not null
);
