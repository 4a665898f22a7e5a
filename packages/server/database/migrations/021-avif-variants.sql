-- AVIF variants are made when nothing else waits: pending ones are still to be made, unreleased ones
-- are not on the site yet. Animations and videos have none.
alter table media add column avif_state text not null default 'pending';
update media set avif_state = 'done' where kind = 'video' or animated = 1;
create index media_avif_state on media (avif_state, id) where avif_state <> 'done';
