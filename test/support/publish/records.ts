import type { RecordChange } from "../../../packages/server/src/features/projects/run-changes/change.ts";
import { reserveChanges } from "../../../packages/server/src/features/projects/run-changes/publish-changes.ts";
import {
  recordOf,
  stageDraft,
  stageField,
} from "../../../packages/server/src/features/projects/run-changes/stage-change.ts";
import { listChanges } from "../../../packages/server/src/features/projects/run-changes/store.ts";
import {
  findProject,
  listPublished,
} from "../../../packages/server/src/features/projects/store.ts";
import { addProject, changeProject } from "../../../packages/server/src/features/projects/write.ts";
import { insertRun } from "../../../packages/server/src/features/runs/store.ts";
import type { Db } from "../../../packages/server/src/platform/db/connect.ts";
import { retryTransaction } from "../../../packages/server/src/platform/db/retry-transaction.ts";
import type { TestInstance } from "./publish-instance.ts";

const at = "2026-01-02T00:00:00.000Z";
const slug = "harbour-map";
const metric = (number: number) => [{ value: String(number), label: "ferries" }];

async function ensureProject(db: Db) {
  const project = await findProject(db, { slug });
  if (project !== null) return project;
  const fields = { name: "Harbour map", status: "published", metrics: metric(0) } as const;
  return addProject(db, { ...fields, summary: "0" }, { at, missingFiles: new Set() });
}

/** Whether the run with this number creates a project; the others change the existing one. */
export const createsProject = (number: number) => number % 3 === 0;

const newName = (number: number) => `New project ${number}`;

/** The slug of the project that the run with this number creates. */
export const newSlug = (number: number) => `new-project-${number}`;

/** The slugs of the published projects, in any order. */
export async function publishedSlugs({ database: { db } }: TestInstance): Promise<string[]> {
  return (await listPublished(db)).map((project) => project.slug);
}

interface StagedRecords {
  recordChanges: RecordChange[];
  onStart(transaction: Db): Promise<void>;
}

/**
 * A run for a publish that sets a metric of the existing project to its number, or creates a
 * published project with that metric.
 */
export async function stageRecords(
  { database: { db } }: TestInstance,
  runId: string,
  number: number,
): Promise<StagedRecords> {
  await retryTransaction(db, async (transaction) => {
    const { id } = await ensureProject(transaction);
    await insertRun(transaction, {
      id: runId,
      kind: "edit",
      mode: "build",
      instruction: "Change the metric",
      page_url: null,
      restored_run_id: null,
      status: "preview_ready",
      model: "scripted",
      actor: "Editor",
      created_at: at,
    });
    if (createsProject(number)) {
      const fields = { name: newName(number), metrics: metric(number) };
      const takenSlugs = new Set<string>();
      await stageDraft(transaction, runId, { fields, takenSlugs, isPublished: true, at });
      return;
    }
    const next = { field: "metrics", value: metric(number), at } as const;
    await stageField(transaction, runId, recordOf(id), next);
  });
  return {
    recordChanges: await listChanges(db, runId),
    onStart: (transaction) => reserveChanges(transaction, runId),
  };
}

/** Saves a number in another field of the record, as its owner can at any time. */
export async function saveSummary(
  { database: { db } }: TestInstance,
  number: number,
): Promise<void> {
  await retryTransaction(db, async (transaction) => {
    const { id, version } = await ensureProject(transaction);
    const change = { id, version, summary: String(number) };
    await changeProject(transaction, change, { at, missingFiles: new Set() });
  });
}
