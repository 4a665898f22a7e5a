import { join } from "node:path";
import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type {
  Agent,
  AgentContext,
  AgentImage,
  AgentReply,
  AgentSession,
  OwnerMessage,
  SiteCheck,
  StepUse,
} from "../agent/agent.ts";
import { caseStudyPrompt } from "../agent/prompts/case-study-prompt.ts";
import { headlessPrompt } from "../agent/prompts/headless-prompt.ts";
import { quoteAsData, textBeforeData } from "../agent/prompts/untrusted-data.ts";
import { countedTokens } from "../agent/token-count.ts";
import { BuildFailed } from "../release/builder/build.ts";
import { mediaFolder } from "../workspace/content-paths.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { findConversation, saveConversation } from "./conversation-store.ts";
import {
  advanceRun,
  buildWorkspace,
  createRunWorkspace,
  emitEvent,
  type Execution,
  MessagesWaiting,
} from "./execution.ts";
import { finishWithoutChanges, usageColumns } from "./finish-without-changes.ts";
import { BlankPages, type FinishedWork, finishPreview } from "./inspect-preview.ts";
import { countWaitingMessages, takeWaitingMessages } from "./message-store.ts";
import { commitSubject, makeRunChange } from "./run-change.ts";
import { makeAgentRecords } from "./records/agent-records.ts";
import { describeUnusedImages } from "./records/new-project.ts";
import { toPublicChange } from "./records/record-diffs.ts";
import type { Attachment, FileDiff, PickedElement, RunEvent } from "./schema.ts";
import { type RunChanges, compareWithPredecessor, readChanges } from "./workspace-changes.ts";
import { diffColumns } from "./serialize-run.ts";
import { modelMissing } from "./start-run.ts";
import { makeMediaAccess } from "./site-context/media-access.ts";
import { roleOf } from "./task-store.ts";
import { findDiff, findStatus, updateRun } from "./store.ts";

/** Maximum characters of an earlier change shown to an agent. */
const maxEarlierCharacters = 60_000;

interface OwnerInput {
  text: string;
  elements: readonly PickedElement[];
  attachments: readonly Attachment[];
}

/** The owner's input for the agent; images removed since are only mentioned. */
async function toOwnerMessage(execution: Execution, input: OwnerInput): Promise<OwnerMessage> {
  const images: AgentImage[] = [];
  let gone = 0;
  for (const attachment of input.attachments) {
    try {
      images.push(await execution.deps.resolveAttachment(attachment));
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "validation_failed") throw error;
      gone += 1;
    }
  }
  const note = gone === 0 ? "" : `\n\n(${gone} of the attached images are no longer stored.)`;
  return { text: input.text + note, elements: input.elements, images };
}

/** What an earlier run made of the same instruction, on an older version of the site. */
async function describeEarlierChange({ deps }: Execution, runId: string): Promise<string> {
  const files = JSON.parse(await findDiff(deps.db, runId)) as FileDiff[];
  const patches = files
    .map(({ path, status, patch }) => `${path} (${status})\n${patch}`)
    .join("\n");
  if (patches === "") return "";
  const shown =
    patches.length > maxEarlierCharacters
      ? `${patches.slice(0, maxEarlierCharacters)}\n… cut`
      : patches;
  const what =
    "This was done before on an older version of the site and can't be applied to the current one as it is. Do it again on the current files.";
  return `\n\n${what}\n${quoteAsData("the earlier change", shown)}`;
}

/** The first message: the instruction, with the result of an earlier attempt. */
async function makeFirstMessage(execution: Execution, agent: Agent): Promise<OwnerMessage> {
  const { row, request, task, newProject } = execution.run;
  const { origin, elements, attachments } = request;
  // The literal editor reads only instructions.
  if (agent.model === "literal") {
    if (newProject !== null) throw modelMissing();
    return toOwnerMessage(execution, { text: row.instruction, elements, attachments });
  }
  const alone = task === null ? "" : `\n\n${headlessPrompt}`;
  const caseStudy = newProject === null ? "" : `\n\n${caseStudyPrompt}`;
  const earlier =
    origin?.kind === "reapply" ? await describeEarlierChange(execution, origin.runId) : "";
  return toOwnerMessage(execution, {
    text: row.instruction + alone + caseStudy + earlier,
    elements,
    attachments,
  });
}

/** Waiting messages; each is delivered once, whoever asks. */
async function takeMessages(execution: Execution): Promise<OwnerMessage[]> {
  const { db, events, clock } = execution.deps;
  const { row } = execution.run;
  if ((await countWaitingMessages(db, row.id)) === 0) return [];
  const taken = await events.record(row.id, async (trx) => {
    const messages = await takeWaitingMessages(trx, row.id, isoTime(clock.now()));
    const delivered = messages.map(({ id, text }): RunEvent => ({
      type: "message.delivered",
      data: { id, text },
    }));
    return { result: messages, events: delivered };
  });
  return Promise.all(taken.map((message) => toOwnerMessage(execution, message)));
}

function limitReached(limit: "tokens" | "run-cost", spent: number, ceiling: number, currency = "") {
  const what = limit === "tokens" ? `${ceiling} tokens` : `a cost of ${ceiling} ${currency}`;
  const sentence = `The run reached its limit of ${what.trimEnd()}.`;
  return new AppError("upstream_failed", sentence, { details: { limit, spent, ceiling } });
}

/** Records each step: in the run's row, in the ledger, and against the limits of a run. */
function makeSpendRecorder({ deps, run }: Execution): AgentContext["spend"] {
  const { db, ledger } = deps;
  const { row } = run;
  const total = { inputTokens: 0, cachedTokens: 0, outputTokens: 0 };
  let cost: number | null = null;
  return async (step: StepUse) => {
    total.inputTokens += step.inputTokens;
    total.cachedTokens += step.cachedTokens;
    total.outputTokens += step.outputTokens;
    if (step.cost !== null) cost = (cost ?? 0) + step.cost;
    const { inputTokens: input_tokens, outputTokens: output_tokens } = total;
    await updateRun(db, row.id, { input_tokens, output_tokens, cost });
    await ledger.book({ ...step, purpose: row.mode === "ask" ? "ask" : "edit", runId: row.id });
    const { run: max } = await ledger.ceilings();
    const tokens = countedTokens(total);
    if (max.tokens !== null && tokens > max.tokens)
      throw limitReached("tokens", tokens, max.tokens);
    if (max.cost !== null && cost !== null && cost > max.cost) {
      throw limitReached("run-cost", cost, max.cost, step.currency ?? undefined);
    }
  };
}

/** Builds the workspace at the agent's request. `given` aborts only that build. */
async function checkSite(
  execution: Execution,
  workspace: Workspace,
  given: AbortSignal,
): Promise<SiteCheck> {
  const signal = AbortSignal.any([execution.signal, given]);
  try {
    const { artifact } = await execution.run.builder.build({ workspace, change: null, signal });
    return { ok: true, pages: artifact.pages };
  } catch (error) {
    if (error instanceof BuildFailed) return { ok: false, errors: error.errors };
    throw error;
  }
}

/** Opens an agent's session in a run's workspace. */
async function openSession(
  execution: Execution,
  agent: Agent,
  workspace: Workspace,
): Promise<AgentSession> {
  const { deps, run, signal } = execution;
  const { limits, db, repository, clock } = deps;
  const { row, request } = run;
  const agents = [roleOf(run.task)];
  const [site, earlier, ceilings] = await Promise.all([
    deps.readSiteContext({
      pageUrl: row.page_url,
      agents,
      words: textBeforeData(row.instruction),
      projectId: run.onlyProjectId,
    }),
    findConversation(db, row.id),
    deps.ledger.ceilings(),
  ]);
  const tokens = ceilings.run.tokens ?? limits.run.tokens;
  return agent.open({
    root: workspace.dir,
    pageUrl: row.page_url,
    mode: row.mode,
    mayWriteFiles: run.newProject === null,
    emit(event) {
      emitEvent(execution, event);
      // Only an intermediate total for display, so it may fail: the result contains the final one.
      if (event.type === "usage") updateRun(db, row.id, usageColumns(event.data)).catch(() => {});
    },
    signal,
    workers: deps.workers,
    checkSite: (given) => checkSite(execution, workspace, given),
    limits: { ...limits.run, tokens, workspace: limits.workspace },
    mediaDir: join(repository.contentDir, mediaFolder),
    mayView: makeMediaAccess({ db, repository, row, request }),
    site,
    records: makeAgentRecords(execution),
    takeMessages: () => takeMessages(execution),
    conversation: {
      earlier,
      async save(text) {
        if (!signal.aborted) await saveConversation(db, row.id, text, isoTime(clock.now()));
      },
    },
    spend: makeSpendRecorder(execution),
  });
}

/** How often a build failure is returned to the agent before the run fails. */
const maxRepairs = 2;

function describeBuildFailure(failure: BuildFailed | BlankPages): string {
  const errors = failure instanceof BuildFailed ? failure.errors : [failure.message];
  const what =
    failure instanceof BuildFailed
      ? "The site doesn't build with your changes. Repair it. The errors of the build:"
      : "The site builds, but your changes leave pages blank. Repair this:";
  return `${what}\n${errors.map((error) => `- ${error}`).join("\n")}`;
}

type Outcome = "ready" | "answered" | "new-message" | { failure: BuildFailed | BlankPages };

/** Builds and checks the agent's work and makes the run ready. */
async function buildPreview(
  execution: Execution,
  work: FinishedWork,
  { tree, attempt, records }: Pick<RunChanges, "tree" | "records"> & { attempt: number },
): Promise<Outcome> {
  const { clock, db } = execution.deps;
  const whole = makeRunChange({ ...work, at: isoTime(clock.now()) });
  const change = await toPublicChange(db, whole, { diffs: work.files, records });
  await advanceRun(execution, "running", { status: "building" });
  const built = await buildWorkspace(
    execution,
    { workspace: work.workspace, change, tree },
    attempt,
  );
  if ("failure" in built) return built;
  try {
    await finishPreview(execution, work, change, built.result);
    return "ready";
  } catch (error) {
    if (error instanceof MessagesWaiting) return "new-message";
    if (error instanceof BlankPages) return { failure: error };
    throw error;
  }
}

/** Leads from the agent's answer to a preview or a message. */
async function finishAttempt(
  execution: Execution,
  { workspace, actor, reply }: { workspace: Workspace; actor: string; reply: AgentReply },
  attempt: number,
): Promise<Outcome> {
  const { db } = execution.deps;
  const { row } = execution.run;
  const changes = row.mode === "ask" ? null : await readChanges(execution, workspace);
  const progress = changes ? await compareWithPredecessor(execution, changes) : "unchanged";
  if (changes === null || progress !== "changed") {
    try {
      await finishWithoutChanges(execution, reply, progress);
      return "answered";
    } catch (error) {
      if (error instanceof MessagesWaiting) return "new-message";
      throw error;
    }
  }
  const { tree, files, records } = changes;
  await updateRun(db, row.id, { ...diffColumns(files), ...usageColumns(reply) });
  const message = commitSubject(reply.message, files);
  const unused = await describeUnusedImages(db, execution.run, { records, files });
  const summary = [reply.summary, unused].filter((one) => one !== "").join(" ");
  const work: FinishedWork = { workspace, actor, files, message, summary };
  return buildPreview(execution, work, { tree, attempt, records });
}

/** Delivers messages that the agent hasn't asked for. */
async function deliverMessages(
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

async function startExecution(execution: Execution, agent: Agent): Promise<Workspace> {
  const { clock } = execution.deps;
  const { row } = execution.run;
  const { model, name: actor } = agent;
  await advanceRun(
    execution,
    "queued",
    { status: "running", model, actor, started_at: isoTime(clock.now()) },
    [{ type: "run.started", data: { instruction: row.instruction, model, actor } }],
  );
  return createRunWorkspace(execution);
}

/**
 * Executes an edit: agent, build, checks, at most two repairs, preview. Messages that arrive until
 * then are delivered first. Returns whether a preview is ready; false means that the run ended with
 * only a message. Throws the failure.
 */
export async function executeEdit(execution: Execution, agent: Agent): Promise<boolean> {
  const { db } = execution.deps;
  const { row } = execution.run;
  const actor = agent.name;
  const workspace = await startExecution(execution, agent);
  const session = await openSession(execution, agent, workspace);
  let reply = await session.send(await makeFirstMessage(execution, agent));
  let repairs = 0;
  for (let attempt = 1; ; attempt += 1) {
    execution.signal.throwIfAborted();
    reply = await deliverMessages(execution, session, reply);
    const outcome = await finishAttempt(execution, { workspace, actor, reply }, attempt);
    if (outcome === "ready") return true;
    if (outcome === "answered") return false;
    const hasMore = outcome === "new-message" || (await countWaitingMessages(db, row.id)) > 0;
    // An additional message is a new piece of work with its own repairs.
    if (hasMore) repairs = 0;
    else if (repairs === maxRepairs) throw outcome.failure;
    if ((await findStatus(db, row.id)) === "building") {
      await advanceRun(execution, "building", { status: "running" });
    }
    if (outcome === "new-message") continue;
    repairs += 1;
    reply = await session.repair(describeBuildFailure(outcome.failure));
  }
}
