import type { RecordChange } from "../../../packages/server/src/features/projects/run-changes/change.ts";
import { reserveChanges } from "../../../packages/server/src/features/projects/run-changes/publish-changes.ts";
import {
  recordOf,
  stageField,
} from "../../../packages/server/src/features/projects/run-changes/stage-change.ts";
import { listChanges } from "../../../packages/server/src/features/projects/run-changes/store.ts";
import { findProject } from "../../../packages/server/src/features/projects/store.ts";
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

/** A run that sets a metric of the one project to its number, as a publish takes it. */
export async function stageMetric(
  { database: { db } }: TestInstance,
  runId: string,
  number: number,
): Promise<{ recordChanges: RecordChange[]; onStart(transaction: Db): Promise<void> }> {
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
    const next = { field: "metrics", value: metric(number), at } as const;
    await stageField(transaction, runId, recordOf(id), next);
  });
  return {
    recordChanges: await listChanges(db, runId),
    onStart: (transaction) => reserveChanges(transaction, runId),
  };
}

/** Saves a number in another field of the record, as its owner might at any time. */
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
