import type { Db } from "../../../platform/db/connect.ts";
import { ToolRefusal } from "../../agent/tools/refusal.ts";
import { filesOf, findMedia, type Media } from "../../media/store.ts";
import { mediaAddresses } from "../../projects/gallery.ts";
import {
  type NewDraft,
  newDrafts,
  type RecordChange,
  withChanges,
} from "../../projects/run-changes/change.ts";
import { listChanges } from "../../projects/run-changes/store.ts";
import { findProject } from "../../projects/store.ts";
import type { CurrentRun } from "../execution.ts";

/** The parts of a run that tell whether it is to create a project. */
type NewProjectRun = Pick<CurrentRun, "row" | "request" | "newProject" | "onlyProjectId">;

/** Throws ToolRefusal if a run is about one stored project, or has already created its new one. */
export async function assertMayCreate(
  db: Db,
  { row, newProject, onlyProjectId }: NewProjectRun,
): Promise<void> {
  if (onlyProjectId !== null) {
    throw new ToolRefusal("read_only", "This run is about one project and can't create another.");
  }
  if (newProject === null) return;
  const [made] = newDrafts(await listChanges(db, row.id));
  if (made === undefined) return;
  throw new ToolRefusal(
    "bad_input",
    `This run creates one project, and ${made.draft.slug} already exists. Change that one.`,
  );
}

/**
 * Whether a run may change this project: not a stored one while it creates a new one or is about
 * another.
 */
export function canChange(
  { newProject, onlyProjectId }: NewProjectRun,
  projectId: number | null,
): boolean {
  if (onlyProjectId !== null) return projectId === onlyProjectId;
  return newProject === null || projectId === null;
}

/** Throws ToolRefusal if a run may not change this project. */
export function assertMayChange(
  run: NewProjectRun,
  { projectId, slug }: { projectId: number | null; slug: string },
): void {
  if (canChange(run, projectId)) return;
  const what = run.newProject === null ? "is about one project" : "creates a new project";
  throw new ToolRefusal(
    "read_only",
    `This run ${what} and can't change another: ${slug} stays as it is.`,
  );
}

/** The images that the owner has attached to a run, in order. */
async function listAttachedImages(db: Db, { request }: NewProjectRun): Promise<Media[]> {
  const ids = request.attachments.flatMap((one) => (one.use === "page" ? [one.mediaId] : []));
  const media = await Promise.all(ids.map((id) => findMedia(db, id)));
  return media.filter((one) => one !== undefined);
}

/**
 * Throws ToolRefusal if a new project would show an image that wasn't attached to its brief, or has
 * a gallery image without alt text.
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
  const mute = after.gallery.filter(
    ({ alt = "", isDecorative }) => isDecorative !== true && alt.trim() === "",
  );
  if (mute.length === 0) return;
  throw new ToolRefusal(
    "bad_input",
    `Each image needs alt text: ${mute.map(({ src }) => src).join(", ")} has none.`,
  );
}

/** A changed file, for searching addresses. */
interface ChangedText {
  patch: string;
  truncated?: boolean;
}

/** Whether changed files contain one of these addresses; true if a diff is truncated. */
function isInFiles(files: readonly ChangedText[], addresses: readonly string[]): boolean {
  return files.some(({ patch, truncated }) => {
    if (truncated) return true;
    const lines = patch.split("\n").filter((line) => !line.startsWith("-"));
    return lines.some((line) => addresses.some((address) => line.includes(address)));
  });
}

/** The addresses shown by the project that a run creates or is about, once it is published. */
async function listShownMedia(
  db: Db,
  { onlyProjectId }: NewProjectRun,
  records: readonly RecordChange[],
): Promise<Set<string>> {
  const project = onlyProjectId === null ? null : await findProject(db, { id: onlyProjectId });
  const drafts = newDrafts(records).map(({ draft }) => draft);
  const shown = project === null ? drafts : [...drafts, withChanges(project, records)];
  return new Set(shown.flatMap(mediaAddresses));
}

/**
 * A sentence about attached images that a task's run uses neither in its project nor in the changed
 * files; empty if there are none, or the run is about no project.
 */
export async function describeUnusedImages(
  db: Db,
  run: NewProjectRun,
  { records, files }: { records: readonly RecordChange[]; files: readonly ChangedText[] },
): Promise<string> {
  if (run.newProject === null && run.onlyProjectId === null) return "";
  const attached = await listAttachedImages(db, run);
  if (attached.length === 0) return "";
  const shown = await listShownMedia(db, run, records);
  const unused = attached.filter((image) => {
    const addresses = filesOf(image);
    return !addresses.some((one) => shown.has(one)) && !isInFiles(files, addresses);
  });
  if (unused.length === 0) return "";
  const names = unused.map(({ originalName }) => originalName).join(", ");
  return unused.length === 1
    ? `The attached image ${names} is not used.`
    : `These attached images are not used: ${names}.`;
}
