import type { Db } from "../../platform/db/connect.ts";
import { listRestrictedMedia } from "../media/restricted-store.ts";
import { isCentered, listMedia, type Media } from "../media/store.ts";
import type { ProjectWithBrief } from "./project.ts";
import type { RecordChange } from "./run-changes/change.ts";
import { listAllWithChanges } from "./run-changes/publish-changes.ts";
import { listRedirects } from "./store.ts";

function mediaRecord({ id: _id, ...media }: Media, isRestricted: boolean) {
  return {
    kind: media.kind,
    src: media.src,
    originalName: media.originalName,
    mime: media.mime,
    bytes: media.bytes,
    originalBytes: media.originalBytes,
    width: media.width,
    height: media.height,
    duration: media.duration,
    hasAlpha: media.hasAlpha,
    animated: media.animated,
    poster: media.poster,
    placeholder: media.placeholder,
    variants: [...media.variants, ...media.avif].map(({ src, width, bytes }) => ({
      src,
      width,
      bytes,
    })),
    sha256: media.sha256,
    alt: media.alt,
    ...(media.isDecorative ? { isDecorative: true } : {}),
    ...(isCentered(media.focalPoint) ? {} : { focalPoint: media.focalPoint }),
    createdAt: media.createdAt,
    ...(isRestricted ? { restricted: true } : {}),
  };
}

/**
 * Without IDs and versions, which are specific to the database, so that a diff shows only what was
 * edited.
 */
function projectRecord({ id: _id, version: _version, brief, ...project }: ProjectWithBrief) {
  const { audience, position, createdAt, updatedAt, ...rest } = project;
  const restricted = audience === "everyone" ? {} : { audience };
  return { ...rest, ...restricted, brief, position, createdAt, updatedAt };
}

function byText<Item>(items: Item[], textOf: (item: Item) => string): Item[] {
  const keyed = items.map((item) => ({ item, text: textOf(item) }));
  return keyed.toSorted((a, b) => (a.text < b.text ? -1 : 1)).map(({ item }) => item);
}

/**
 * The text of database/projects.json: every project whatever its status, all media, and the
 * redirects of old slugs. Sorted by slug and address for readable diffs; `importRecords` reads it.
 * With `changes`, the records as they will be once the run that makes them is published.
 */
export async function exportRecords(
  db: Db,
  changes: readonly RecordChange[] = [],
): Promise<string> {
  // In this order, everything that is named is there, even if something is stored in between.
  const redirects = await listRedirects(db, "all");
  const projects = await listAllWithChanges(db, changes);
  const { items: media } = await listMedia(db, { limit: 2_147_483_647, offset: 0 });
  const restricted = new Set((await listRestrictedMedia(db)).map(({ src }) => src));
  const slugs = new Set(projects.map((project) => project.slug));
  const records = {
    media: byText(media, (item) => item.src).map((item) =>
      mediaRecord(item, restricted.has(item.src)),
    ),
    projects: byText(projects, (project) => project.slug).map(projectRecord),
    redirects: redirects
      .filter(({ to }) => slugs.has(to))
      .map(({ from, to }) => ({ slug: from, project: to })),
  };
  return `${JSON.stringify(records, null, 2)}\n`;
}
