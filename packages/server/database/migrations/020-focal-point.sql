-- What stays visible where an image is cut, in percent from the left and from the top.
alter table media add column focal_x integer not null default 50;
alter table media add column focal_y integer not null default 50;
