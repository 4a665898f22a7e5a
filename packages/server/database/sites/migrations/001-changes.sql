-- What has changed, for processes that keep it in memory. Only the newest are kept.
create table if not exists site_change (
  id {{id}},
  site_id text not null,
  domains text not null
);
