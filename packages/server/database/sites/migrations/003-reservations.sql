-- Which command has reserved the name of a site that isn't finished: only this one finishes it, or removes
-- what there is of it.
alter table site add column reservation text;
