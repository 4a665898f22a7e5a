import type { Db } from "../../platform/db/connect.ts";
import { listEntries } from "../changelog/store.ts";
import { findMediaBySrc, type Media } from "../media/store.ts";
import type { Project } from "../projects/project.ts";
import { listPublished } from "../projects/store.ts";
import type { Snapshot, SnapshotMedia, SnapshotProject } from "./snapshot.ts";

/** The most changes that a site's changelog shows. */
const shownChanges = 1000;

export interface SiteFacts {
  baseUrl: string;
  owner: { name: string; timeZone: string };
}

function exportMedia(item: Project["gallery"][number], media: Media): SnapshotMedia {
  const { src, width, height, kind, poster, placeholder, variants } = media;
  const alt = item.alt ?? media.alt;
  return { src, caption: item.caption, alt, width, height, kind, poster, placeholder, variants };
}

function exportProject(project: Project, media: Map<string, Media>): SnapshotProject {
  const { id: _id, status: _status, position: _position, version: _version, ...rest } = project;
  const { createdAt: _createdAt, ...shown } = rest;
  const gallery = project.gallery.flatMap((item) => {
    const stored = media.get(item.src);
    return stored ? [exportMedia(item, stored)] : [];
  });
  return { ...shown, gallery };
}

/** Reads from the database what one build of the site may know: published records, nothing private. */
export async function exportSnapshot(db: Db, facts: SiteFacts): Promise<Snapshot> {
  const projects = await listPublished(db);
  const media = await findMediaBySrc(
    db,
    projects.flatMap((project) => project.gallery.map((item) => item.src)),
  );
  const changes = await listEntries(db, { limit: shownChanges, offset: 0 });
  return {
    site: {
      baseUrl: facts.baseUrl.replace(/\/+$/, ""),
      ownerName: facts.owner.name,
      timeZone: facts.owner.timeZone,
    },
    projects: projects.map((project) => exportProject(project, media)),
    changelog: changes.items.map(({ kind, title, detail, at, actor, commit }) => {
      return { kind, title, detail, at, actor, commit };
    }),
  };
}
