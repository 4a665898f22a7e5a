import type { Db } from "../../../platform/db/connect.ts";
import { listMedia, type Media, usesOfMedia } from "../../media/store.ts";
import { filesOfProjects, restrictedFiles } from "../../projects/media-files.ts";
import { listRestricted } from "../../projects/store.ts";
import type { VisibleProject } from "./visible-projects.ts";

const maxItems = 2_147_483_647;

/**
 * The stored items that an agent may use in a run: those in projects that it may know, those that
 * the owner has attached or named, and those in no project. Items only in drafts, or ever shown by
 * a restricted project, are excluded.
 */
export async function listUsableMedia(
  db: Db,
  input: {
    visible: readonly VisibleProject[];
    /** IDs of attached stored items. */
    mediaIds: ReadonlySet<number>;
    words: string;
  },
): Promise<Media[]> {
  const { visible, mediaIds, words } = input;
  const { items } = await listMedia(db, { limit: maxItems, offset: 0 });
  const uses = await usesOfMedia(
    db,
    items.map(({ id }) => id),
  );
  const shown = await filesOfProjects(
    db,
    visible.map(({ fields }) => fields),
  );
  const restricted = await restrictedFiles(db, await listRestricted(db));
  return items.filter(({ id, src }) => {
    if (mediaIds.has(id) || words.includes(src) || shown.has(src)) return true;
    return !restricted.has(src) && (uses.get(id) ?? []).length === 0;
  });
}

/**
 * Which of these a project may show: a public project never shows restricted items unless the owner
 * attaches or names them.
 */
export async function listShowableMedia(
  db: Db,
  project: VisibleProject,
  input: Parameters<typeof listUsableMedia>[1],
): Promise<Set<string>> {
  const usable = await listUsableMedia(db, input);
  if (!project.isPublic) return new Set(usable.map(({ src }) => src));
  const restricted = await restrictedFiles(db, await listRestricted(db));
  const allowed = usable.filter(
    ({ id, src }) => !restricted.has(src) || input.mediaIds.has(id) || input.words.includes(src),
  );
  return new Set(allowed.map(({ src }) => src));
}
