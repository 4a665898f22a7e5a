-- An image that shows nothing anybody would miss: its owner has said so, and its alternative text is empty.
alter table media add column is_decorative integer not null default 0;
