import type { Db } from "../../../platform/db/connect.ts";
import { ToolRefusal } from "../../agent/tools/refusal.ts";
import { findMedia, type Media } from "../../media/store.ts";
import { mediaAddresses } from "../../projects/gallery.ts";
import { type NewDraft, newDrafts, type RecordChange } from "../../projects/run-changes/change.ts";
import { listChanges } from "../../projects/run-changes/store.ts";
import type { CurrentRun } from "../execution.ts";

/** A run, as far as it matters whether it is there to make a new project. */
type NewProjectRun = Pick<CurrentRun, "row" | "request" | "newProject" | "onlyProjectId">;

/** Throws ToolRefusal where a run is about one stored project, or has made its new one already. */
export async function assertMayCreate(
  db: Db,
  { row, newProject, onlyProjectId }: NewProjectRun,
): Promise<void> {
  if (onlyProjectId !== null) {
    throw new ToolRefusal("read_only", "This run is about one project and makes no new one.");
  }
  if (newProject === null) return;
  const [made] = newDrafts(await listChanges(db, row.id));
  if (made === undefined) return;
  throw new ToolRefusal(
    "bad_input",
    `This run makes one project, and ${made.draft.slug} is there already. Change that one.`,
  );
}

/** Whether a run may change this project: not a stored one while it makes a new one or is about another. */
export function canChange(
  { newProject, onlyProjectId }: NewProjectRun,
  projectId: number | null,
): boolean {
  if (onlyProjectId !== null) return projectId === onlyProjectId;
  return newProject === null || projectId === null;
}

/** Throws ToolRefusal where a run may not change this project. */
export function assertMayChange(
  run: NewProjectRun,
  { projectId, slug }: { projectId: number | null; slug: string },
): void {
  if (canChange(run, projectId)) return;
  const what = run.newProject === null ? "is about one project" : "makes a new project";
  throw new ToolRefusal(
    "read_only",
    `This run ${what} and changes no other one: ${slug} stays as it is.`,
  );
}

/** The images that the owner has given along with a run, in their order. */
async function listAttachedImages(db: Db, { request }: NewProjectRun): Promise<Media[]> {
  const ids = request.attachments.flatMap((one) => (one.use === "page" ? [one.mediaId] : []));
  const media = await Promise.all(ids.map((id) => findMedia(db, id)));
  return media.filter((one) => one !== undefined);
}

/**
 * Throws ToolRefusal where a new project would show what was not attached to its brief, or an image
 * of its gallery has no alternative text.
 */
export async function assertOnlyAttached(
  db: Db,
  run: NewProjectRun,
  after: Pick<NewDraft, "gallery" | "body">,
): Promise<void> {
  if (run.newProject === null) return;
  const attached = new Set((await listAttachedImages(db, run)).map(({ src }) => src));
  const others = [...new Set(mediaAddresses(after))].filter((src) => !attached.has(src));
  if (others.length > 0) {
    throw new ToolRefusal(
      "bad_input",
      `Only the images attached to the brief may be shown: not ${others.join(", ")}.`,
    );
  }
  const mute = after.gallery.filter(({ alt = "" }) => alt.trim() === "");
  if (mute.length === 0) return;
  throw new ToolRefusal(
    "bad_input",
    `Each image needs an alternative text: ${mute.map(({ src }) => src).join(", ")} has none.`,
  );
}

/** Which attached images the new project of a run doesn't show, in a sentence; empty for none. */
export async function describeUnusedImages(
  db: Db,
  run: NewProjectRun,
  records: readonly RecordChange[],
): Promise<string> {
  if (run.newProject === null) return "";
  const shown = new Set(newDrafts(records).flatMap(({ draft }) => mediaAddresses(draft)));
  const unused = (await listAttachedImages(db, run)).filter(({ src }) => !shown.has(src));
  if (unused.length === 0) return "";
  const names = unused.map(({ originalName }) => originalName).join(", ");
  return unused.length === 1
    ? `The attached image ${names} is not used.`
    : `These attached images are not used: ${names}.`;
}
