import type { Clock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { findMedia } from "../media/store.ts";
import { findProject } from "../projects/store.ts";
import { createTask } from "./queue/queue.ts";
import type { TaskCreate } from "./schema.ts";
import type { TaskRow } from "./store.ts";
import { titleFrom } from "./title.ts";

/** Throws `validation_failed` naming what a task speaks of that isn't there. */
async function assertThere(db: Db, { projectId, attachments }: TaskCreate): Promise<void> {
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

/**
 * Queues what a person asks for. Throws `validation_failed` when its project or a picture isn't
 * there.
 */
export async function takeIn(
  { db, clock }: { db: Db; clock: Pick<Clock, "now"> },
  said: TaskCreate,
  actor: string,
): Promise<TaskRow> {
  await assertThere(db, said);
  const task = {
    ...said,
    title: said.title || titleFrom(said.instruction),
    pageUrl: said.pageUrl ?? null,
    projectId: said.projectId ?? null,
    findingId: said.findingId ?? null,
    actor,
  };
  try {
    return await createTask(db, task, isoTime(clock.now()));
  } catch (error) {
    // A project may go between the look and the writing; then the database refuses the task.
    await assertThere(db, said);
    throw error;
  }
}
