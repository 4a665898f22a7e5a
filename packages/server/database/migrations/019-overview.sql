-- The owner's visits of the overview: when the present one was last seen, and where the one before it
-- ended, which is since when things are news. Null during the first.
create table if not exists owner_visit (
  id integer primary key check (id = 1),
  since text,
  last_seen_at text not null
);

create index if not exists run_by_finish on run (status, finished_at);

create index if not exists task_by_finish on task (status, finished_at);

create index if not exists finding_by_first_seen on finding (first_seen_at);

create index if not exists finding_by_fix on finding (status, fixed_at);

create index if not exists user_account_by_time on user_account (created_at);

create index if not exists contact_message_unread on contact_message (id) where read_at is null;
