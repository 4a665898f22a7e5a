import { join } from "node:path";
import { isoTime } from "../../kit/time.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Limits } from "../../platform/config.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Agent, AgentReply, AgentSession, Usage } from "../agent/agent.ts";
import { BuildFailed } from "../release/builder/build.ts";
import { previewAddress } from "../release/preview-address.ts";
import { treeChanges } from "../workspace/commit.ts";
import { diffTrees } from "../workspace/diff.ts";
import { mediaFolder } from "../workspace/content-paths.ts";
import type { Repository } from "../workspace/git.ts";
import { assertWritable, createWorkspace, treeId, type Workspace } from "../workspace/workspace.ts";
import { changeOf, commitSubject, type RunChange } from "./describe.ts";
import type { RunEvents } from "./events.ts";
import type { BuildGate, BuildGateJob, BuildGateResult } from "./build-gate.ts";
import { changesPatch } from "./record.ts";
import type { FileDiff, RunEvent, RunStatus } from "./schema.ts";
import { type RunPatch, type RunRow, updateRun } from "./store.ts";

/** How often a build error is handed back to the agent before the run fails. */
const maxRepairs = 2;
const longestLogLine = 2000;
const mostLogLines = 400;

/** Somebody else moved the run on (cancelled it): whoever works on it stops and cleans up. */
export class RunLost extends Error {}

/** One run while it is carried out. */
export interface Execution {
  row: RunRow;
  signal: AbortSignal;
  db: Db;
  clock: Clock;
  events: RunEvents;
  repository: Repository;
  gate: BuildGate;
  limits: Limits;
}

/** What a run has made of its workspace. */
interface Work {
  workspace: Workspace;
  actor: string;
  files: FileDiff[];
  message: string;
  summary: string;
}

/** Moves the run on; throws RunLost when it isn't in `from` any more. */
export async function advance(
  execution: Execution,
  from: RunStatus,
  patch: RunPatch & { status: RunStatus },
  events: readonly RunEvent[] = [],
): Promise<void> {
  const { row, signal } = execution;
  signal.throwIfAborted();
  await execution.events.flush(row.id);
  if (!(await execution.events.transition(row.id, [from], patch, events))) throw new RunLost();
}

function say(execution: Execution, event: RunEvent): void {
  // What arrives after a cancellation is no longer part of the run.
  if (!execution.signal.aborted) execution.events.emit(execution.row.id, event);
}

/** Makes the run's workspace on the newest commit. */
export async function openWork(execution: Execution): Promise<Workspace> {
  const { db, repository, row } = execution;
  const workspace = await createWorkspace(repository, row.id);
  await updateRun(db, row.id, { base_commit: workspace.baseCommit });
  execution.signal.throwIfAborted();
  return workspace;
}

/** The changes in the workspace; throws `dirty_tree` when one lies where no run may write. */
async function changesOf(
  execution: Execution,
  workspace: Workspace,
): Promise<{ tree: string; files: FileDiff[] }> {
  const { repository } = execution;
  const tree = await treeId(repository, workspace);
  assertWritable(await treeChanges(repository, workspace.baseCommit, tree));
  return { tree, files: await diffTrees(repository, workspace.baseCommit, tree) };
}

function startSession(execution: Execution, agent: Agent, workspace: Workspace): AgentSession {
  const { row, signal, limits, gate, db, repository } = execution;
  return agent.open({
    root: workspace.dir,
    pageUrl: row.page_url,
    mode: row.mode,
    emit(event) {
      say(execution, event);
      if (event.type === "usage") void recordUsage(db, row.id, event.data);
    },
    signal,
    async checkSite() {
      try {
        const { artifact } = await gate.build({ workspace, change: null, signal });
        return { ok: true, pages: artifact.pages };
      } catch (error) {
        if (error instanceof BuildFailed) return { ok: false, errors: error.errors };
        throw error;
      }
    },
    limits: { ...limits.run, workspace: limits.workspace },
    mediaDir: join(repository.contentDir, mediaFolder),
    site: { record: null, sources: [], routes: [] },
    takeMessages: async () => [],
    conversation: { earlier: null, save: async () => {} },
    spend: async () => {},
  });
}

function usagePatch(usage: Usage): RunPatch {
  return {
    steps: usage.steps,
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cost: usage.cost,
  };
}

async function recordUsage(db: Db, runId: string, usage: Usage): Promise<void> {
  // Only a running total for whoever looks meanwhile, so it may fail: the reply brings the final one.
  await updateRun(db, runId, usagePatch(usage)).catch(() => {});
}

/** Builds once, telling the run's listeners; null when the site doesn't build, with the errors. */
export async function buildOnce(
  execution: Execution,
  job: Pick<BuildGateJob, "workspace" | "change" | "tree">,
  attempt: number,
): Promise<{ result: BuildGateResult } | { failure: BuildFailed }> {
  const { gate, signal } = execution;
  say(execution, { type: "build.started", data: { attempt } });
  let lines = 0;
  const onLog = (line: string) => {
    lines += 1;
    if (lines > mostLogLines) return;
    say(execution, { type: "build.log", data: { line: line.slice(0, longestLogLine) } });
  };
  try {
    const result = await gate.build({ ...job, signal, onLog });
    const { pages, bytes, durationMs } = result.artifact;
    say(execution, { type: "build.passed", data: { attempt, pages, bytes, durationMs } });
    return { result };
  } catch (failure) {
    signal.throwIfAborted();
    if (!(failure instanceof BuildFailed)) throw failure;
    say(execution, { type: "build.failed", data: { attempt, errors: failure.errors } });
    return { failure };
  }
}

/** Makes the run ready to be looked at and published. */
export async function readyPreview(
  execution: Execution,
  work: Work,
  change: RunChange,
  { artifact, tree, snapshotHash }: BuildGateResult,
): Promise<void> {
  const { row } = execution;
  const { pages, files, bytes, durationMs } = artifact;
  const filesChanged = work.files.map(({ path, added, removed }) => ({ path, added, removed }));
  const previewUrl = previewAddress(row.id);
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
  );
}

/** Ends a run that has nothing to publish: its answer is its words. */
async function finishWithWords(
  execution: Execution,
  from: RunStatus,
  reply: AgentReply,
): Promise<void> {
  const words = reply.summary || "Nothing had to be changed.";
  await advance(
    execution,
    from,
    {
      status: "discarded",
      summary: words,
      message: commitSubject(reply.message || words, []),
      finished_at: isoTime(execution.clock.now()),
      ...usagePatch(reply),
    },
    [{ type: "run.finished", data: { status: "discarded", message: words } }],
  );
}

function repairRequest(failure: BuildFailed): string {
  const errors = failure.errors.map((error) => `- ${error}`).join("\n");
  return `The site doesn't build with your changes. Repair it. The errors of the build:\n${errors}`;
}

/**
 * Carries out an edit: agent, build, at most two repairs, preview. Returns whether a preview is
 * ready; false means that the run ended with words alone. Throws what made it fail.
 */
export async function executeEdit(execution: Execution, agent: Agent): Promise<boolean> {
  const { row, clock, db } = execution;
  const { instruction } = row;
  const { model, name: actor } = agent;
  await advance(
    execution,
    "queued",
    { status: "running", model, actor, started_at: isoTime(clock.now()) },
    [{ type: "run.started", data: { instruction, model, actor } }],
  );
  const workspace = await openWork(execution);
  const session = startSession(execution, agent, workspace);
  let reply = await session.send({ text: instruction, elements: [], pictures: [] });
  for (let attempt = 1; ; attempt += 1) {
    execution.signal.throwIfAborted();
    const { tree, files } =
      row.mode === "ask" ? { tree: "", files: [] } : await changesOf(execution, workspace);
    if (files.length === 0) {
      await finishWithWords(execution, "running", reply);
      return false;
    }
    const message = commitSubject(reply.message, files);
    const work: Work = { workspace, actor, files, message, summary: reply.summary };
    const change = changeOf({ ...work, at: isoTime(clock.now()) });
    await updateRun(db, row.id, { ...changesPatch(files), ...usagePatch(reply) });
    await advance(execution, "running", { status: "building" });
    const built = await buildOnce(execution, { workspace, change, tree }, attempt);
    if ("result" in built) {
      await readyPreview(execution, work, change, built.result);
      return true;
    }
    if (attempt > maxRepairs) throw built.failure;
    await advance(execution, "building", { status: "running" });
    reply = await session.repair(repairRequest(built.failure));
  }
}
