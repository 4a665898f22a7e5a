-- What the last QA run knew of how an open finding could be fixed. No row: it hasn't been looked into.
create table if not exists finding_source (
  finding_id integer primary key references finding (id) on delete cascade,
  -- JSON: FindingSource; null where what the finding is about could be in several places, or in none.
  source text,
  -- The instruction by which the literal editor would fix it; null where a model has to.
  repair text
);
