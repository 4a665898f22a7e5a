-- What the nodes of an installation need to have a site in a folder of their own.
create table if not exists site_copy (
  site_id text primary key,
  -- Another one for each site that has this name: copies of an earlier one are removed.
  incarnation text not null,
  -- vitrine.json, and the files in data/keys, encrypted with a key that all nodes have; null until the
  -- site is complete.
  settings text,
  sealed_keys text,
  key_id text,
  -- Another one whenever settings or keys have changed.
  version integer not null default 1
);

-- Where sites have processes. Rows of killed nodes are out of date soon.
create table if not exists site_awake (
  site_id text not null,
  node text not null,
  until text not null,
  primary key (site_id, node)
);

-- Schemas of removed sites whose objects are still in the object store.
create table if not exists site_removal (
  schema_name text primary key,
  site_id text not null,
  created_at text not null
);
