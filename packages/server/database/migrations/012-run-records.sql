-- What a run changes of the owner's records, field by field: built into its preview, applied when it
-- is published.
create table if not exists run_record_change (
  run_id text not null references run (id) on delete cascade,
  -- Which record: `project:12`, or `new:a-name` for a draft that the run creates.
  record text not null,
  -- Null until a draft is created, and for one that never was.
  project_id integer,
  -- A field of the project; `*` stands for the whole of it.
  field text not null,
  -- JSON, `null` where there was or will be nothing.
  before_value text not null,
  after_value text not null,
  changed_at text not null,
  primary key (run_id, record, field)
);

create index if not exists run_record_change_by_project on run_record_change (project_id);
