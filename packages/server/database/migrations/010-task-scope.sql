-- What a task may change without a review, as JSON: derived from what its owner gave when it is queued.
create table if not exists task_scope (
  task_id integer primary key references task (id) on delete cascade,
  scope text not null
);
