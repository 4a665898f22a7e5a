-- An entry may be about several projects: one row for each of them, in place of `project_entry`, which
-- knew one. When all migrations run once more, an earlier one has made that table again, empty.
create table if not exists changelog_entry_project (
  entry_id integer not null references changelog_entry (id) on delete cascade,
  -- No reference: an entry outlives its project.
  project_id integer not null,
  -- published, changed or unpublished
  event text not null,
  -- JSON: the names of the fields that were changed.
  fields text not null,
  -- What visitors see of the project since: public or unpublished; restricted for good once it was.
  visibility text not null,
  primary key (entry_id, project_id)
);

create index if not exists changelog_entry_project_by_project
  on changelog_entry_project (project_id, entry_id);

insert into changelog_entry_project (entry_id, project_id, event, fields, visibility)
  select entry_id, project_id, event, fields, 'public' from project_entry
  where true
  on conflict do nothing;

drop table if exists project_entry;
