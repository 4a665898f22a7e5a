-- Backups in the object store, of an instance whose nodes share no disk; unused otherwise.
create table if not exists stored_backup (
  name text primary key,
  -- storing, complete, removing
  status text not null,
  -- The key of settings.key that it is encrypted with.
  key_id text not null,
  version text not null,
  created_at text not null,
  -- The size of the archive, and what is in it; null until it is complete.
  bytes bigint,
  files integer,
  release_number integer,
  -- The last sign of the node that stores it.
  touched_at text not null,
  completed_at text
);

-- The objects that a backup consists of.
create table if not exists stored_backup_part (
  object_key text primary key,
  backup_name text not null,
  -- 0 while it is uploaded: what a killed process has left is removed later.
  is_complete integer not null default 0,
  created_at text not null
);
create index if not exists stored_backup_part_backup on stored_backup_part (backup_name);

-- When the last backup of any node was made: one row.
create table if not exists stored_last_backup (
  id integer primary key,
  created_at text not null
);
