import type { Clock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { findMedia } from "../media/store.ts";
import { findProject } from "../projects/store.ts";
import { projectPath } from "../release/export.ts";
import { queueTask } from "./queue/queue.ts";
import type { TaskCreate, TaskScope } from "./schema.ts";
import { deriveScope } from "./scope/derive-scope.ts";
import type { TaskRow } from "./store.ts";
import { titleFrom } from "./title.ts";

/** Throws `validation_failed` naming what a task speaks of that isn't there. */
async function assertReferencesExist(
  db: Db,
  { projectId, attachments }: TaskCreate,
): Promise<void> {
  const fields: Record<string, string> = {};
  if (typeof projectId === "number" && (await findProject(db, { id: projectId })) === null) {
    fields["projectId"] = "there is no such project";
  }
  const found = await Promise.all(attachments.map((id) => findMedia(db, id)));
  for (const [at, media] of found.entries()) {
    if (!media) fields[`attachments.${at}`] = "there is no such media file";
  }
  if (Object.keys(fields).length === 0) return;
  throw new AppError("validation_failed", "The task speaks of what isn't there.", { fields });
}

/** What the owner's words say, or in its place what a caller says that knows better. */
async function scopeOf(db: Db, input: TaskCreate): Promise<TaskScope> {
  const { kind, instruction, pageUrl, projectId, attachments } = input;
  const project = typeof projectId === "number" ? await findProject(db, { id: projectId }) : null;
  const derived = deriveScope({
    kind,
    instruction,
    pageUrl: pageUrl ?? null,
    projectPath: project ? projectPath(project.slug) : null,
    hasAttachments: attachments.length > 0,
    finding: null,
  });
  const { pages, kinds, style } = input.scope ?? {};
  return {
    ...derived,
    ...(pages && { pages }),
    ...(kinds && { kinds }),
    ...(style && { style }),
  };
}

/**
 * Queues what a person asks for. Throws `validation_failed` when its project or an image isn't
 * there.
 */
export async function createTask(
  { db, clock }: { db: Db; clock: Pick<Clock, "now"> },
  input: TaskCreate,
  actor: string,
): Promise<TaskRow> {
  await assertReferencesExist(db, input);
  const task = {
    ...input,
    title: input.title || titleFrom(input.instruction),
    pageUrl: input.pageUrl ?? null,
    projectId: input.projectId ?? null,
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
