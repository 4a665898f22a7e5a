-- AVIF variants are made when nothing else waits: pending ones are still to be made, unreleased ones
-- are not on the site yet. Animations and videos have none.
alter table media add column avif_state text not null default 'pending';
update media set avif_state = 'done' where kind = 'video' or animated = 1;
create index if not exists media_avif_state on media (avif_state, id) where avif_state <> 'done';

-- JSON: what an image was before it was cut, with the area that it shows now.
alter table media add column uncropped text;

-- The addresses that items had before they were cut or replaced, so that the site's source can
-- follow. The size is that of the file, the height only of the item's main file.
create table if not exists media_former_address (
  address text primary key,
  media_id integer not null references media (id) on delete cascade,
  width integer not null,
  height integer
);
create index if not exists media_former_address_media on media_former_address (media_id);
