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

/** Throws `validation_failed` naming what a task speaks of that isn't there, or isn't what it takes. */
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
    // Nobody can describe a video without seeing all of it.
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

/** What the owner's words say, or in its place what a caller says that knows better. */
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
  // A brief speaks of pages and texts, and is about none of those that are there.
  if (typeof projectStatus === "string") return { ...derived, pages: [], kinds: [], style: [] };
  const { pages, kinds, style } = input.scope ?? {};
  return {
    ...derived,
    ...(pages && { pages }),
    ...(kinds && { kinds }),
    ...(style && { style }),
  };
}

/** Throws `model_not_configured` where no model in use can make the new project that is asked for. */
function assertModel({ projectStatus, attachments }: TaskCreate, model: UsableModel): void {
  if (typeof projectStatus !== "string") return;
  const refusal = newProjectRefusal(model, { hasImages: attachments.length > 0 });
  if (refusal !== null) throw new AppError("model_not_configured", refusal);
}

/** What the model in use is refused for; null where it can make a new project. */
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
  /** What the model in use can do. */
  model(): Promise<UsableModel>;
}

/**
 * Queues what a person asks for. Throws `validation_failed` when its project or an image isn't
 * there, and `model_not_configured` for a new project that no model can make.
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
    // A project may go between the look and the writing; then the database refuses the task.
    await assertReferencesExist(db, input);
    throw error;
  }
}
