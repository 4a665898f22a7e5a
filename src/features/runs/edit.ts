import { isoTime } from "../../kit/time.ts";
import type { Agent, AgentReply, AgentSession } from "../agent/agent.ts";
import { BuildFailed } from "../release/builder/build.ts";
import { treeChanges } from "../workspace/commit.ts";
import { diffTrees } from "../workspace/diff.ts";
import { assertWritable, treeId, type Workspace } from "../workspace/workspace.ts";
import { changeOf, commitSubject } from "./describe.ts";
import {
  advance,
  assertHeard,
  buildOnce,
  type Execution,
  openWork,
  SaidMeanwhile,
  standOf,
} from "./execution.ts";
import { BlankPages } from "./inspection.ts";
import { countWaiting } from "./message-store.ts";
import { readyPreview, type Work } from "./ready.ts";
import { changesPatch } from "./record.ts";
import type { FileDiff } from "./schema.ts";
import { firstMessage, openSession, takeMessages, usagePatch } from "./session.ts";
import { findStatus, updateRun } from "./store.ts";

/** How often what is wrong with a build is handed back to the agent before the run fails. */
const maxRepairs = 2;

interface Changes {
  tree: string;
  files: FileDiff[];
}

/** The changes in the workspace; throws `dirty_tree` when one lies where no run may write. */
async function changesOf(execution: Execution, workspace: Workspace): Promise<Changes> {
  const { repository } = execution;
  const tree = await treeId(repository, workspace);
  assertWritable(await treeChanges(repository, workspace.baseCommit, tree));
  return { tree, files: await diffTrees(repository, workspace.baseCommit, tree) };
}

/** Whether there is something to show: not where a preview with the same files waits already. */
async function hasNews(execution: Execution, { tree, files }: Changes): Promise<boolean> {
  if (files.length === 0) return false;
  const { origin } = execution.request;
  if (origin === null || standOf(execution)?.tree !== tree) return true;
  return (await findStatus(execution.db, origin.runId)) !== "preview_ready";
}

/** Ends a run that has nothing to publish: its answer is its words. */
async function finishWithWords(execution: Execution, reply: AgentReply): Promise<void> {
  const { row, clock } = execution;
  const words = reply.summary || "Nothing had to be changed.";
  await advance(
    execution,
    "running",
    {
      status: "discarded",
      summary: words,
      message: commitSubject(reply.message || words, []),
      finished_at: isoTime(clock.now()),
      ...usagePatch(reply),
    },
    [{ type: "run.finished", data: { status: "discarded", message: words } }],
    (trx) => assertHeard(trx, row.id),
  );
}

function repairRequest(failure: BuildFailed | BlankPages): string {
  const errors = failure instanceof BuildFailed ? failure.errors : [failure.message];
  const what =
    failure instanceof BuildFailed
      ? "The site doesn't build with your changes. Repair it. The errors of the build:"
      : "The site builds, but with your changes there are pages without anything to see. Repair it:";
  return `${what}\n${errors.map((error) => `- ${error}`).join("\n")}`;
}

type Outcome = "ready" | "words" | "said" | { failure: BuildFailed | BlankPages };

/** Builds and checks what the agent has made, and makes the run ready. */
async function show(
  execution: Execution,
  work: Work,
  { tree, attempt }: { tree: string; attempt: number },
): Promise<Outcome> {
  const { clock } = execution;
  const change = changeOf({ ...work, at: isoTime(clock.now()) });
  await advance(execution, "running", { status: "building" });
  const built = await buildOnce(execution, { workspace: work.workspace, change, tree }, attempt);
  if ("failure" in built) return built;
  try {
    await readyPreview(execution, work, change, built.result);
    return "ready";
  } catch (error) {
    if (error instanceof SaidMeanwhile) return "said";
    if (error instanceof BlankPages) return { failure: error };
    throw error;
  }
}

/** One way from the agent's answer to a preview, or to words. */
async function settle(
  execution: Execution,
  { workspace, actor, reply }: { workspace: Workspace; actor: string; reply: AgentReply },
  attempt: number,
): Promise<Outcome> {
  const { row, db } = execution;
  const nothing = { tree: "", files: [] };
  const changes = row.mode === "ask" ? nothing : await changesOf(execution, workspace);
  if (!(await hasNews(execution, changes))) {
    try {
      await finishWithWords(execution, reply);
      return "words";
    } catch (error) {
      if (error instanceof SaidMeanwhile) return "said";
      throw error;
    }
  }
  const { tree, files } = changes;
  await updateRun(db, row.id, { ...changesPatch(files), ...usagePatch(reply) });
  const message = commitSubject(reply.message, files);
  const work: Work = { workspace, actor, files, message, summary: reply.summary };
  return show(execution, work, { tree, attempt });
}

/** Lets the agent hear what it has not asked for. */
async function hearOut(
  execution: Execution,
  session: AgentSession,
  reply: AgentReply,
): Promise<AgentReply> {
  let last = reply;
  for (;;) {
    const messages = await takeMessages(execution);
    if (messages.length === 0) return last;
    for (const message of messages) last = await session.send(message);
  }
}

async function begin(execution: Execution, agent: Agent): Promise<Workspace> {
  const { row, clock } = execution;
  const { model, name: actor } = agent;
  await advance(
    execution,
    "queued",
    { status: "running", model, actor, started_at: isoTime(clock.now()) },
    [{ type: "run.started", data: { instruction: row.instruction, model, actor } }],
  );
  return openWork(execution);
}

/**
 * Carries out an edit: agent, build, checks, at most two repairs, preview. What the owner says
 * meanwhile is heard before it ends. Returns whether a preview is ready; false means that the run
 * ended with words alone. Throws what made it fail.
 */
export async function executeEdit(execution: Execution, agent: Agent): Promise<boolean> {
  const { row, db } = execution;
  const actor = agent.name;
  const workspace = await begin(execution, agent);
  const session = await openSession(execution, agent, workspace);
  let reply = await session.send(await firstMessage(execution, agent));
  let repairs = 0;
  for (let attempt = 1; ; attempt += 1) {
    execution.signal.throwIfAborted();
    reply = await hearOut(execution, session, reply);
    const outcome = await settle(execution, { workspace, actor, reply }, attempt);
    if (outcome === "ready") return true;
    if (outcome === "words") return false;
    const said = outcome === "said" || (await countWaiting(db, row.id)) > 0;
    // What the owner adds is a new piece of work, with repairs of its own.
    if (said) repairs = 0;
    else if (repairs === maxRepairs) throw outcome.failure;
    if ((await findStatus(db, row.id)) === "building") {
      await advance(execution, "building", { status: "running" });
    }
    if (outcome === "said") continue;
    repairs += 1;
    reply = await session.repair(repairRequest(outcome.failure));
  }
}
