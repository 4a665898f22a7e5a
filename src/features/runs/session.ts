import { join } from "node:path";
import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type {
  Agent,
  AgentContext,
  AgentPicture,
  AgentSession,
  OwnerMessage,
  SiteCheck,
  StepUse,
  Usage,
} from "../agent/agent.ts";
import { beforeData, quoteAsData } from "../agent/prompts/fence.ts";
import { unattended } from "../agent/prompts/unattended.ts";
import { countedTokens } from "../agent/token-count.ts";
import { BuildFailed } from "../release/builder/build.ts";
import { mediaFolder } from "../workspace/content-paths.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { makeMediaRule } from "./knowledge/media-rule.ts";
import { findConversation, saveConversation } from "./conversation-store.ts";
import { type Execution, say } from "./execution.ts";
import { countWaiting, takeWaiting } from "./message-store.ts";
import type { Attachment, FileDiff, PickedElement, RunEvent } from "./schema.ts";
import { findDiff, type RunPatch, updateRun } from "./store.ts";

/** How much of an earlier change an agent is shown, in characters. */
const mostEarlier = 60_000;

interface Said {
  text: string;
  elements: readonly PickedElement[];
  attachments: readonly Attachment[];
}

/** What the owner said as agents take it; a picture that was removed since is only mentioned. */
async function messageOf(execution: Execution, said: Said): Promise<OwnerMessage> {
  const pictures: AgentPicture[] = [];
  let gone = 0;
  for (const attachment of said.attachments) {
    try {
      pictures.push(await execution.pictureOf(attachment));
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "validation_failed") throw error;
      gone += 1;
    }
  }
  const note = gone === 0 ? "" : `\n\n(${gone} of the pictures with this are gone by now.)`;
  return { text: said.text + note, elements: said.elements, pictures };
}

/** What an earlier run made of the same instruction, on an older version of the site. */
async function earlierChange({ db }: Execution, runId: string): Promise<string> {
  const files = JSON.parse(await findDiff(db, runId)) as FileDiff[];
  const patches = files
    .map(({ path, status, patch }) => `${path} (${status})\n${patch}`)
    .join("\n");
  if (patches === "") return "";
  const shown = patches.length > mostEarlier ? `${patches.slice(0, mostEarlier)}\n… cut` : patches;
  const what =
    "This was carried out before, on an older version of the site, and can't be put onto the present one as it is. Carry it out anew on the present files.";
  return `\n\n${what}\n${quoteAsData("the earlier change", shown)}`;
}

/** What begins the work: the instruction, with what an earlier attempt at it came to. */
export async function firstMessage(execution: Execution, agent: Agent): Promise<OwnerMessage> {
  const { row, request, task } = execution;
  const { origin, elements, attachments } = request;
  // The literal editor reads nothing but instructions.
  if (agent.model === "literal") {
    return messageOf(execution, { text: row.instruction, elements, attachments });
  }
  const alone = task === null ? "" : `\n\n${unattended}`;
  const earlier = origin?.kind === "reapply" ? await earlierChange(execution, origin.runId) : "";
  return messageOf(execution, { text: row.instruction + alone + earlier, elements, attachments });
}

/** What the owner has said since; each message is given out once, whoever asks. */
export async function takeMessages(execution: Execution): Promise<OwnerMessage[]> {
  const { row, db, events, clock } = execution;
  if ((await countWaiting(db, row.id)) === 0) return [];
  const taken = await events.record(row.id, async (trx) => {
    const messages = await takeWaiting(trx, row.id, isoTime(clock.now()));
    const told = messages.map(({ id, text }): RunEvent => ({
      type: "message.delivered",
      data: { id, text },
    }));
    return { result: messages, events: told };
  });
  return Promise.all(taken.map((message) => messageOf(execution, message)));
}

export function usagePatch(usage: Usage): RunPatch {
  return {
    steps: usage.steps,
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cost: usage.cost,
  };
}

function reached(limit: "tokens" | "run-cost", spent: number, ceiling: number, currency = "") {
  const what = limit === "tokens" ? `${ceiling} tokens` : `a cost of ${ceiling} ${currency}`;
  const sentence = `The run reached its limit of ${what.trimEnd()}.`;
  return new AppError("upstream_failed", sentence, { details: { limit, spent, ceiling } });
}

/** Books each step: in the run's row, with all others, and against what one run may take. */
function makeSpend({ row, db, ledger }: Execution): AgentContext["spend"] {
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
    const { run } = await ledger.ceilings();
    const tokens = countedTokens(total);
    if (run.tokens !== null && tokens > run.tokens) throw reached("tokens", tokens, run.tokens);
    if (run.cost !== null && cost !== null && cost > run.cost) {
      throw reached("run-cost", cost, run.cost, step.currency ?? undefined);
    }
  };
}

/** Builds the workspace for an agent that wants to know. `given` ends that build alone. */
async function checkSite(
  execution: Execution,
  workspace: Workspace,
  given: AbortSignal,
): Promise<SiteCheck> {
  const { gate } = execution;
  const signal = AbortSignal.any([execution.signal, given]);
  try {
    const { artifact } = await gate.build({ workspace, change: null, signal });
    return { ok: true, pages: artifact.pages };
  } catch (error) {
    if (error instanceof BuildFailed) return { ok: false, errors: error.errors };
    throw error;
  }
}

/** Puts an agent to work in a run's workspace. */
export async function openSession(
  execution: Execution,
  agent: Agent,
  workspace: Workspace,
): Promise<AgentSession> {
  const { row, signal, limits, db, repository, clock } = execution;
  // A task is work for the Web Designer, whoever's tools it is done with.
  const agents =
    execution.task === null ? (["editor"] as const) : (["editor", "designer"] as const);
  const [site, earlier, ceilings] = await Promise.all([
    execution.siteOf({ pageUrl: row.page_url, agents, words: beforeData(row.instruction) }),
    findConversation(db, row.id),
    execution.ledger.ceilings(),
  ]);
  const tokens = ceilings.run.tokens ?? limits.run.tokens;
  return agent.open({
    root: workspace.dir,
    pageUrl: row.page_url,
    mode: row.mode,
    emit(event) {
      say(execution, event);
      // Only a running total for whoever looks meanwhile, so it may fail: the reply brings the last.
      if (event.type === "usage") updateRun(db, row.id, usagePatch(event.data)).catch(() => {});
    },
    signal,
    workers: execution.workers,
    checkSite: (given) => checkSite(execution, workspace, given),
    limits: { ...limits.run, tokens, workspace: limits.workspace },
    mediaDir: join(repository.contentDir, mediaFolder),
    mayView: makeMediaRule({ db, repository, row, request: execution.request }),
    site,
    takeMessages: () => takeMessages(execution),
    conversation: {
      earlier,
      async save(text) {
        if (!signal.aborted) await saveConversation(db, row.id, text, isoTime(clock.now()));
      },
    },
    spend: makeSpend(execution),
  });
}
