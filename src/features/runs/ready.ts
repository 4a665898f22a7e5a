import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { previewAddress } from "../release/preview-address.ts";
import type { BuildGateResult } from "./build-gate.ts";
import { saveReport } from "./check-store.ts";
import type { RunChange } from "./describe.ts";
import { insertEvents } from "./event-store.ts";
import { advance, assertHeard, type Execution, say } from "./execution.ts";
import { assertSeen, inspectBuild } from "./inspection.ts";
import { changesPatch } from "./record.ts";
import { findRequest } from "./request-store.ts";
import type { FileDiff, RunEvent } from "./schema.ts";
import { swapStatus } from "./store.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** What a run has made of its workspace. */
export interface Work {
  workspace: Workspace;
  actor: string;
  files: FileDiff[];
  message: string;
  summary: string;
}

/** How many runs may have gone on from each other before the first is left as it is. */
const mostOrigins = 50;

/**
 * In the transaction that makes a run ready: what it went on from, ready or interrupted, is over.
 * Gives those runs.
 */
async function supersede(
  trx: Db,
  { row: { id: runId }, onClosed }: Pick<Execution, "row" | "onClosed">,
  at: string,
): Promise<string[]> {
  const over: string[] = [];
  let heir = runId;
  for (let step = 0; step < mostOrigins; step += 1) {
    const origin = (await findRequest(trx, heir)).origin?.runId;
    if (origin === undefined) break;
    const patch = { status: "discarded", finished_at: at } as const;
    if (await swapStatus(trx, origin, ["preview_ready", "interrupted"], patch)) {
      const message = "Another run has taken this work up.";
      const told: RunEvent[] = [
        { type: "run.status", data: { status: "discarded" } },
        { type: "run.finished", data: { status: "discarded", message } },
      ];
      await insertEvents(trx, origin, told, at);
      await onClosed(trx, { runId: origin, status: "discarded", heir: runId });
      over.push(origin);
    }
    heir = origin;
  }
  return over;
}

/**
 * Has the build checked and makes the run ready to be looked at and published; what it went on from
 * is discarded with that. Throws BlankPages, and SaidMeanwhile when the owner has said more.
 */
export async function readyPreview(
  execution: Execution,
  work: Work,
  change: RunChange,
  { artifact, tree, snapshotHash }: BuildGateResult,
): Promise<void> {
  const { row, db, clock, events } = execution;
  await assertHeard(db, row.id);
  const tell = (event: RunEvent) => say(execution, event);
  const report = await inspectBuild({ ...execution, runId: row.id, say: tell }, artifact);
  assertSeen(report);
  const { pages, files, bytes, durationMs } = artifact;
  const filesChanged = work.files.map(({ path, added, removed }) => ({ path, added, removed }));
  const previewUrl = previewAddress(row.id);
  const at = isoTime(clock.now());
  let over: string[] = [];
  await advance(
    execution,
    "building",
    {
      status: "preview_ready",
      ...changesPatch(work.files),
      message: work.message,
      summary: work.summary,
      changelog: JSON.stringify(change),
      artifact_sha: artifact.sha,
      artifact_stats: JSON.stringify({ pages, files, bytes, durationMs }),
      workspace_tree: tree,
      snapshot_hash: snapshotHash,
    },
    [{ type: "preview.ready", data: { previewUrl, filesChanged, summary: work.summary } }],
    async (trx) => {
      await assertHeard(trx, row.id);
      if (report !== null) await saveReport(trx, row.id, { artifactSha: artifact.sha, report, at });
      over = await supersede(trx, execution, at);
    },
  );
  for (const runId of over) events.notify(runId);
}
