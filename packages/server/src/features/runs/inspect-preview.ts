import { AppError, toAppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Artifact } from "../release/builder/build.ts";
import { previewAddress } from "../release/preview-address.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { saveCheckReport } from "./check-store.ts";
import { discardPredecessors } from "./discard-predecessors.ts";
import { advanceRun, assertNoMessagesWaiting, emitEvent, type Execution } from "./execution.ts";
import type { RunChange } from "./run-change.ts";
import type { RunDependencies } from "./run-dependencies.ts";
import { type BuildReport, buildReport, type FileDiff, type RunEvent } from "./schema.ts";
import { diffColumns } from "./serialize-run.ts";
import type { WorkspaceBuild } from "./workspace-builder.ts";

/** Time limit for the checks of one build, in ms. */
const maxInspectionMs = 30_000;

/** Blank pages: a build with any is never ready and never goes live. */
export class BlankPages extends AppError {
  readonly pages: readonly string[];

  constructor(pages: readonly string[]) {
    const list = pages.slice(0, 10).join(", ");
    const more = pages.length > 10 ? ` and ${pages.length - 10} more` : "";
    const title = pages.length === 1 ? "This page would be blank" : "These pages would be blank";
    super("validation_failed", `${title}: ${list}${more}.`, {
      details: { pages: pages.slice(0, 100) },
    });
    this.name = "BlankPages";
    this.pages = pages;
  }
}

/** Throws BlankPages if a checked build has any. */
export function assertNoBlankPages(report: BuildReport | null): void {
  if (report !== null && report.blank.length > 0) throw new BlankPages(report.blank);
}

async function inspectWithin(
  inspect: RunDependencies["inspectBuild"],
  artifact: Artifact,
  signal: AbortSignal | undefined,
): Promise<BuildReport> {
  const time = AbortSignal.timeout(maxInspectionMs);
  const ended = AbortSignal.any(signal ? [signal, time] : [time]);
  const stop = Promise.withResolvers<never>();
  const onAbort = () => stop.reject(ended.reason);
  ended.addEventListener("abort", onAbort, { once: true });
  try {
    ended.throwIfAborted();
    // Doesn't wait for an inspector that ignores the signal.
    return buildReport.parse(
      await Promise.race([inspect({ artifact, signal: ended }), stop.promise]),
    );
  } finally {
    ended.removeEventListener("abort", onAbort);
  }
}

/**
 * Checks a build and notifies the run's listeners. Returns null if the checks themselves fail or
 * take longer than 30 s; they never block a run, and the reason is logged. Throws the signal's
 * reason.
 */
export async function inspectPreview(
  { inspectBuild, log }: Pick<RunDependencies, "inspectBuild" | "log">,
  artifact: Artifact,
  options: { runId: string; emit: (event: RunEvent) => void; signal?: AbortSignal | undefined },
): Promise<BuildReport | null> {
  const { runId, emit, signal } = options;
  emit({ type: "checks.started", data: {} });
  try {
    const report = await inspectWithin(inspectBuild, artifact, signal);
    emit({ type: "checks.done", data: report });
    return report;
  } catch (error) {
    signal?.throwIfAborted();
    log.warn({ err: error, runId }, "a build could not be checked");
    const line = `Couldn't check the build: ${toAppError(error).message}`;
    emit({ type: "build.log", data: { line } });
    return null;
  }
}

/** The result of a run in its workspace. */
export interface FinishedWork {
  workspace: Workspace;
  actor: string;
  files: FileDiff[];
  message: string;
  summary: string;
}

/**
 * Checks the build and makes the run ready for review and publishing; its predecessors are
 * discarded. Throws BlankPages, and MessagesWaiting if the owner has sent another message.
 */
export async function finishPreview(
  execution: Execution,
  work: FinishedWork,
  change: RunChange | null,
  { artifact, tree, snapshotHash }: WorkspaceBuild,
): Promise<void> {
  const { deps, run, signal } = execution;
  const { db, clock, events } = deps;
  const { row } = run;
  await assertNoMessagesWaiting(db, row.id);
  const emit = (event: RunEvent) => emitEvent(execution, event);
  const report = await inspectPreview(deps, artifact, { runId: row.id, emit, signal });
  assertNoBlankPages(report);
  const { pages, files, bytes, durationMs } = artifact;
  const filesChanged = work.files.map(({ path, added, removed }) => ({ path, added, removed }));
  const previewUrl = previewAddress(row.id);
  const at = isoTime(clock.now());
  const { baseCommit } = work.workspace;
  await deps.repository.remote?.putRun(deps.repository, { runId: row.id, baseCommit, tree });
  let discarded: string[] = [];
  await advanceRun(
    execution,
    "building",
    {
      status: "preview_ready",
      ...diffColumns(work.files),
      message: work.message,
      summary: work.summary,
      changelog: change && JSON.stringify(change),
      artifact_sha: artifact.sha,
      artifact_stats: JSON.stringify({ pages, files, bytes, durationMs }),
      workspace_tree: tree,
      snapshot_hash: snapshotHash,
    },
    [{ type: "preview.ready", data: { previewUrl, filesChanged, summary: work.summary } }],
    async (trx) => {
      await assertNoMessagesWaiting(trx, row.id);
      if (report !== null)
        await saveCheckReport(trx, row.id, { artifactSha: artifact.sha, report, at });
      discarded = await discardPredecessors(trx, execution, { at, outcome: "continued" });
    },
  );
  for (const runId of discarded) events.notify(runId);
}
