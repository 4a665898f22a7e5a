import type { Db } from "../../../platform/db/connect.ts";
import { findMissingFiles } from "../../projects/gallery.ts";
import { type ChangedProject, recordChanges } from "../../projects/record-change.ts";
import { addProject, changeProject, removeProject } from "../../projects/write.ts";
import { findIdBySlug, writeRedirect } from "../../projects/slug-store.ts";
import type { ProjectTimes } from "../../projects/store.ts";
import type { Study } from "../study/study.ts";
import type { ProjectStep } from "./step.ts";
import { fieldsOf, type Plan } from "./plan.ts";
import type { StoredImage } from "./stored-images.ts";

export interface PrepareRecordsDependencies {
  db: Db;
  /** The folder that addresses such as /media/2026/a.webp are files below. */
  mediaRoot: string;
  /** The actor for the changelog. */
  ownerName: string;
  /** The stored file for a file of the folder. */
  storedAs(path: string): StoredImage;
}

interface Write {
  step: ProjectStep;
  fields: ReturnType<typeof fieldsOf>;
  missingFiles: Set<string>;
}

/** A plan's records, ready to be written in one transaction. */
export interface PreparedRecords {
  count: number;
  /** A description of the import. */
  reason: string;
  /** Throws `stale_version`, `already_exists`, `validation_failed`: then nothing may be committed. */
  write(transaction: Db, at: string): Promise<void>;
}

/** When a project from elsewhere was created and last changed; never in the future. */
function timesOf({ created, updated }: Study, at: string): ProjectTimes {
  const past = (time: string) => (time < at ? time : at);
  const createdAt = past(created ?? updated ?? at);
  return { createdAt, updatedAt: past(updated ?? createdAt) };
}

/**
 * Prepares the records of a plan: everything that needs the disk happens before the transaction.
 */
export async function prepareRecords(
  plan: Plan,
  deps: PrepareRecordsDependencies,
): Promise<PreparedRecords> {
  const writes: Write[] = [];
  for (const step of plan.projects) {
    if (step.action !== "create" && step.action !== "update") continue;
    const fields = fieldsOf(step.study, step.present, deps.storedAs);
    const missingFiles = await findMissingFiles(deps.mediaRoot, fields.gallery ?? []);
    writes.push({ step, fields, missingFiles });
  }
  const { length } = writes;
  const imported = `${length} ${length === 1 ? "project was" : "projects were"} imported`;
  return {
    count: length + plan.samples.length,
    reason: length > 0 ? imported : "the sample projects were deleted",
    async write(transaction, at) {
      const changes: ChangedProject[] = [];
      for (const { id, version } of plan.samples) await removeProject(transaction, { id, version });
      const former: { id: number; aliases: string[] }[] = [];
      for (const { step, fields, missingFiles } of writes) {
        const { present, study } = step;
        const context = { at, missingFiles };
        if (present === null) {
          const project = { status: "published" as const, ...fields, slug: study.slug };
          const times = timesOf(study, at);
          const added = await addProject(transaction, project, { ...context, times });
          const { id } = added;
          changes.push({ before: null, after: added });
          former.push({ id, aliases: step.aliases });
        } else {
          const { id, version } = present;
          const saved = await changeProject(transaction, { ...fields, id, version }, context);
          changes.push({ before: saved.before, after: saved.project });
          former.push({ id, aliases: step.aliases });
        }
      }
      await recordChanges(transaction, changes, { at, actor: deps.ownerName });
      for (const { id, aliases } of former) {
        for (const slug of aliases) {
          // An address that is a project's stays its own.
          if ((await findIdBySlug(transaction, slug)) !== null) continue;
          await writeRedirect(transaction, { slug, projectId: id, at });
        }
      }
    },
  };
}
