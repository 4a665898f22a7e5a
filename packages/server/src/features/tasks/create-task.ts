import type { Clock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { UsableModel } from "../agent/model-choice.ts";
import { findMedia } from "../media/store.ts";
import { findProject } from "../projects/store.ts";
import { projectPath } from "../release/export.ts";
import { queueTask } from "./queue/queue.ts";
import type { TaskCreate, TaskScope } from "./schema.ts";
import { deriveScope } from "./scope/derive-scope.ts";
import type { TaskRow } from "./store.ts";
import { titleFrom } from "./title.ts";

/** Throws `validation_failed` with the names of references that don't exist or don't fit. */
async function assertReferencesExist(
  db: Db,
  { projectId, projectStatus, attachments }: TaskCreate,
): Promise<void> {
  const fields: Record<string, string> = {};
  if (typeof projectId === "number" && (await findProject(db, { id: projectId })) === null) {
    fields["projectId"] = "there is no such project";
  }
  const found = await Promise.all(attachments.map((id) => findMedia(db, id)));
  for (const [at, media] of found.entries()) {
    if (!media) fields[`attachments.${at}`] = "there is no such media file";
    // An agent can't describe a video without seeing all of it.
    else if (typeof projectStatus === "string" && media.kind !== "image") {
      fields[`attachments.${at}`] = "must be an image";
    }
  }
  if (Object.keys(fields).length === 0) return;
  throw new AppError(
    "validation_failed",
    "The task refers to a project or files that it can't use.",
    {
      fields,
    },
  );
}

/** The scope derived from the owner's instruction, or a more precise one from the caller. */
async function scopeOf(db: Db, input: TaskCreate): Promise<TaskScope> {
  const { kind, instruction, pageUrl, projectId, projectStatus, attachments } = input;
  const project = typeof projectId === "number" ? await findProject(db, { id: projectId }) : null;
  const derived = deriveScope({
    kind,
    instruction,
    pageUrl: pageUrl ?? null,
    projectPath: project ? projectPath(project.slug) : null,
    hasAttachments: attachments.length > 0,
    finding: null,
  });
  // A brief mentions pages and texts without being about any existing ones.
  if (typeof projectStatus === "string") return { ...derived, pages: [], kinds: [], style: [] };
  const { pages, kinds, style } = input.scope ?? {};
  return {
    ...derived,
    ...(pages && { pages }),
    ...(kinds && { kinds }),
    ...(style && { style }),
  };
}

/** Throws `model_not_configured` if the selected model can't create the requested project. */
function assertModel({ projectStatus, attachments }: TaskCreate, model: UsableModel): void {
  if (typeof projectStatus !== "string") return;
  const refusal = newProjectRefusal(model, { hasImages: attachments.length > 0 });
  if (refusal !== null) throw new AppError("model_not_configured", refusal);
}

/** Why the selected model can't create a project; null if it can. */
function newProjectRefusal(
  model: UsableModel,
  { hasImages }: { hasImages: boolean },
): string | null {
  if (model === null) {
    return "A new case study needs a model, and none is set up. Set one up in the settings.";
  }
  if (!model.canBuild) {
    return "The model in use can't make a case study: it has no key, or it can't call tools.";
  }
  if (!hasImages || model.canSee) return null;
  return "The model in use can't look at images. Choose one that can, or leave the images out.";
}

interface CreateTaskDependencies {
  db: Db;
  clock: Pick<Clock, "now">;
  /** The abilities of the selected model. */
  model(): Promise<UsableModel>;
}

/**
 * Queues a person's request. Throws `validation_failed` if its project or an image doesn't exist,
 * and `model_not_configured` for a new project that no model can create.
 */
export async function createTask(
  { db, clock, model }: CreateTaskDependencies,
  input: TaskCreate,
  actor: string,
): Promise<TaskRow> {
  await assertReferencesExist(db, input);
  assertModel(input, await model());
  const task = {
    ...input,
    title: input.title || titleFrom(input.instruction),
    pageUrl: input.pageUrl ?? null,
    projectId: input.projectId ?? null,
    projectStatus: input.projectStatus ?? null,
    findingId: input.findingId ?? null,
    actor,
    scope: await scopeOf(db, input),
  };
  try {
    return await queueTask(db, task, isoTime(clock.now()));
  } catch (error) {
    // A project may be deleted between the check and the insert; then the database refuses the
    // task.
    await assertReferencesExist(db, input);
    throw error;
  }
}
