import type { Db } from "../../../platform/db/connect.ts";
import { findFileless } from "../../projects/gallery.ts";
import { addProject, changeProject, removeProject } from "../../projects/write.ts";
import { fieldsOf, type Plan, type ProjectStep } from "./plan.ts";

export interface RecordParts {
  db: Db;
  /** The folder that addresses such as /media/2026/a.webp are files below. */
  mediaRoot: string;
  /** The address of a stored file of the folder. */
  addressOf(path: string): string;
}

interface Write {
  step: ProjectStep;
  fields: ReturnType<typeof fieldsOf>;
  fileless: Set<string>;
}

/** A plan's records, ready to be written in one transaction. */
export interface ReadyRecords {
  count: number;
  /** What is imported, for people. */
  reason: string;
  /** Throws `stale_version`, `already_exists`, `validation_failed`: then nothing may be committed. */
  write(transaction: Db, at: string): Promise<void>;
}

/** Makes the records of a plan ready: what needs the disk is done before the transaction. */
export async function readyRecords(plan: Plan, parts: RecordParts): Promise<ReadyRecords> {
  const writes: Write[] = [];
  for (const step of plan.projects) {
    if (step.action !== "create" && step.action !== "update") continue;
    const fields = fieldsOf(step.study, step.present, parts.addressOf);
    const fileless = await findFileless(parts.mediaRoot, fields.gallery ?? []);
    writes.push({ step, fields, fileless });
  }
  const { length } = writes;
  const imported = `${length} ${length === 1 ? "project was" : "projects were"} imported`;
  return {
    count: length + plan.samples.length,
    reason: length > 0 ? imported : "the sample projects were deleted",
    async write(transaction, at) {
      for (const { id, version } of plan.samples) await removeProject(transaction, { id, version });
      for (const { step, fields, fileless } of writes) {
        const { present, study } = step;
        const context = { at, fileless };
        if (present === null) {
          const project = { status: "published" as const, ...fields, slug: study.slug };
          await addProject(transaction, project, context);
        } else {
          const { id, version } = present;
          await changeProject(transaction, { ...fields, id, version }, context);
        }
      }
    },
  };
}
