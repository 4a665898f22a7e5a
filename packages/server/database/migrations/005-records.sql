-- The stored files that a project's gallery names: the database itself refuses to lose one in use.
create table if not exists project_media (
  project_id integer not null references project (id) on delete cascade,
  media_id integer not null references media (id),
  primary key (project_id, media_id)
);

create index if not exists project_media_by_media on project_media (media_id);

-- A stored address has no character that means something to LIKE.
insert into project_media (project_id, media_id)
  select project.id, media.id
  from project join media on project.gallery like '%"src":"' || media.src || '"%'
  where true
  on conflict do nothing;

-- What the owner's list is searched by: a narrow row each, however long a project's texts are.
create table if not exists project_search (
  project_id integer primary key references project (id) on delete cascade,
  text text not null,
  categories text not null
);

insert into project_search (project_id, text, categories)
  select
    id,
    lower(name || ' ' || slug || ' ' || summary || ' ' || kind || ' ' || role || ' ' || categories || ' ' || stack),
    categories
  from project
  where true
  on conflict do nothing;

create index if not exists project_by_position on project (position, id);

create index if not exists project_by_update on project (updated_at, id);

-- One row for each time that the records had changed and the site was to follow. Requests that come
-- while one is pending are the same one.
create table if not exists rebuild_request (
  id {{id}},
  status text not null check (status in ('pending', 'building', 'done', 'failed')),
  reason text not null,
  requested_at text not null,
  -- Of the last request that it stands for: the rebuild waits until nothing more comes.
  last_requested_at text not null,
  started_at text,
  finished_at text,
  error text,
  commit_sha text,
  release_number integer
);

create unique index if not exists rebuild_request_one_pending
  on rebuild_request (status) where status = 'pending';

-- The changelog's seed file as it was last read: one row.
create table if not exists changelog_seed (
  id integer primary key check (id = 1),
  sha256 text not null,
  read_at text not null,
  -- Why it could not be taken; null when it was.
  error text
);

-- What the owner tells the Web Designer about a project. Apart, so that nothing public reads it.
create table if not exists project_brief (
  project_id integer primary key references project (id) on delete cascade,
  text text not null
);
