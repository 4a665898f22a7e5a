-- Resumable uploads of an instance whose nodes share no disk; unused otherwise. An upload without
-- `ended_at` is received, or being processed; one with it has its job as `result`.
create table if not exists stored_upload (
  id text primary key,
  size bigint not null,
  -- What the client needn't send again, in bytes.
  received bigint not null default 0,
  part_count integer not null default 0,
  original_name text not null,
  alt text not null,
  -- The request that may add parts: a later one takes its place.
  writer text,
  -- The process that stores the complete file in the library, and until when it may be alive.
  holder text,
  held_until text,
  created_at text not null,
  ended_at text,
  result text
);

-- What has arrived of an upload, as objects of the object store.
create table if not exists stored_upload_part (
  object_key text primary key,
  upload_id text not null,
  position bigint not null,
  bytes bigint not null,
  sha256 text not null,
  -- 0 while it is uploaded: what a killed process has left is removed later.
  is_complete integer not null default 0,
  created_at text not null
);
create index if not exists stored_upload_part_upload on stored_upload_part (upload_id, position);
