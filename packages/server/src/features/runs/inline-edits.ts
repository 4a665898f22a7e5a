import { inlineForm, locateInlineTarget, planInlineEdits } from "../agent/inline.ts";
import type { NewImage } from "../agent/inline/image-places.ts";
import type { ResolvedEdit } from "../agent/inline/inline-worker.ts";
import type { InlineAnswer, InlineEdit, InlineTarget } from "../agent/inline/schema.ts";
import type { AgentProject } from "../agent/records.ts";
import { findMedia, findMediaByCopy } from "../media/store.ts";
import { runFieldsOf } from "../projects/run-changes/change.ts";
import { parseField } from "../projects/run-changes/stage-change.ts";
import { listPublished } from "../projects/store.ts";
import type { Db } from "../../platform/db/connect.ts";
import { AppError } from "../../kit/errors.ts";
import { type InlineInput, inlinePagesOf } from "./inline-form.ts";
import type { RunDependencies } from "./run-dependencies.ts";
import type { Attachment } from "./schema.ts";
import { findProjectOnPage } from "./site-context/subject-projects.ts";
import { startFormRun } from "./start-run.ts";

/** The records that can be edited from these pages: public ones, and those that a page shows. */
async function listEditable(db: Db, pages: readonly string[]): Promise<AgentProject[]> {
  const shown = (await listPublished(db)).filter(({ audience }) => audience === "everyone");
  const subjects = await Promise.all(pages.map((page) => findProjectOnPage(db, page)));
  const all = [...shown, ...subjects].filter((project) => project !== null);
  const byId = new Map(all.map((project) => [project.id, project]));
  return Array.from(byId.values(), (project) => {
    const { status, audience } = project;
    return { ...runFieldsOf(project), status, audience };
  });
}

/** The stored address of an image that a page shows in another width: its source names that one. */
async function storedAddresses(
  db: Db,
  targets: readonly { kind: string; src?: string }[],
): Promise<(src: string) => string> {
  const shown = targets.flatMap(({ src }) => (src === undefined ? [] : [src]));
  const found = await findMediaByCopy(db, shown);
  return (src) => found.get(src)?.src ?? src;
}

async function findNewImage(db: Db, edit: InlineEdit): Promise<NewImage | null> {
  if (edit.kind !== "image") return null;
  const media = await findMedia(db, edit.mediaId);
  if (media === undefined || media.kind === "video") return null;
  const { src, width, height } = media;
  return { src, width, height, alt: edit.alt };
}

async function resolveEdits(db: Db, edits: readonly InlineEdit[]): Promise<ResolvedEdit[]> {
  const storedAddress = await storedAddresses(db, edits);
  return Promise.all(
    edits.map(async (edit) => {
      const image = await findNewImage(db, edit);
      if (edit.kind === "text") return { edit, image };
      return { edit: { ...edit, src: storedAddress(edit.src) }, image };
    }),
  );
}

function siteInput({ repository, limits }: RunDependencies) {
  return { root: repository.contentDir, limits: limits.workspace };
}

/** Where the selected element is edited, or why it can't be. Read-only. */
export async function locateInline(
  deps: RunDependencies,
  target: InlineTarget,
): Promise<InlineAnswer> {
  const { db } = deps;
  const records = await listEditable(db, [target.page]);
  const storedAddress = await storedAddresses(db, [target]);
  const named = target.kind === "text" ? target : { ...target, src: storedAddress(target.src) };
  return locateInlineTarget(deps, { ...siteInput(deps), records, target: named });
}

/** Throws `validation_failed` with each edit that can't be made on the current site. */
async function assertPossible(
  deps: RunDependencies,
  edits: readonly ResolvedEdit[],
): Promise<void> {
  const pages = [...new Set(edits.map(({ edit }) => edit.page))];
  const records = await listEditable(deps.db, pages);
  const work = await planInlineEdits(deps, { ...siteInput(deps), records, edits });
  if (work.changed.length + work.records.length === 0) {
    throw new AppError(
      "validation_failed",
      "Nothing to change: the site already says exactly that.",
    );
  }
  for (const { field, value } of work.records) parseField(field, value);
}

const maxNamedPages = 3;

/** Maximum stored images that a run lists as attached. */
const maxAttachments = 10;

function describe(edits: readonly ResolvedEdit[], pages: readonly string[]): string {
  const count = edits.length === 1 ? "1 change" : `${edits.length} changes`;
  const more =
    pages.length > maxNamedPages ? ` and ${pages.length - maxNamedPages} more pages` : "";
  return `Edit on the page: ${count} on ${pages.slice(0, maxNamedPages).join(", ")}${more}`;
}

/**
 * Queues a run that makes these edits, all or none. Throws `validation_failed` with each that can't
 * be made on the current site, `throttled`.
 */
export async function startInlineEdits(
  deps: RunDependencies,
  given: readonly InlineEdit[],
): Promise<{ runId: string }> {
  const edits = await resolveEdits(deps.db, given);
  await assertPossible(deps, edits);
  const form = { name: inlineForm, input: { edits } satisfies InlineInput };
  const attachments = given.flatMap((edit): Attachment[] =>
    edit.kind === "image" ? [{ use: "page", mediaId: edit.mediaId }] : [],
  );
  const pages = inlinePagesOf(form);
  return startFormRun(deps, {
    instruction: describe(edits, pages),
    form,
    pageUrl: pages.at(-1) ?? "/",
    attachments: attachments.slice(0, maxAttachments),
  });
}
