-- What the nodes of an instance without a common disk share; unused otherwise. Contents in the object
-- store by the SHA-256 of their bytes. Every upload has a key of its own, so that a removal never hits a
-- later upload of the same bytes.
create table if not exists stored_blob (
  object_key text primary key,
  name text not null,
  bytes bigint not null,
  -- 0 while it is uploaded: what a killed process has left is removed a day later.
  is_complete integer not null default 0,
  used_at text not null
);
create unique index if not exists stored_blob_name on stored_blob (name) where is_complete = 1;

-- Files that every node can get, by their path in the instance.
create table if not exists stored_file (
  path text primary key,
  blob_name text not null,
  updated_at text not null
);
create index if not exists stored_file_blob on stored_file (blob_name);

-- Commits and trees of the content repository: `main`, and `run/<id>` for a run's preview.
create table if not exists stored_ref (
  name text primary key,
  object_id text not null,
  updated_at text not null
);

-- Git packs that lead to a ref, in order: each has what `object_id` has and `base_id` lacks.
create table if not exists stored_pack (
  id {{id}},
  ref text not null,
  base_id text,
  object_id text not null,
  blob_name text not null,
  created_at text not null
);
create index if not exists stored_pack_ref on stored_pack (ref, id);
create index if not exists stored_pack_blob on stored_pack (blob_name);

-- Releases in the order of their numbers; the highest one is live.
create table if not exists stored_release (
  release_number integer primary key,
  artifact text not null,
  released_at text not null
);
