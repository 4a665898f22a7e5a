-- Uploaded folders of an instance whose nodes share no disk; unused otherwise. The archive is a content
-- of the object store.
create table if not exists stored_import (
  id text primary key,
  archive text not null,
  -- planned, running, done, failed
  state text not null,
  -- JSON: the last plan or result, what was left out of the archive, and why the import failed.
  report text not null,
  skipped text not null,
  error text,
  progress text,
  -- The process that imports it, and until when it may be alive.
  holder text,
  held_until text,
  created_at text not null
);
