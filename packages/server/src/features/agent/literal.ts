import { type Clock, systemClock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import { WorkerFailure, workerJob } from "../../platform/worker-pool.ts";
import {
  type Agent,
  type AgentContext,
  agentNames,
  type AgentRole,
  type AgentSession,
  maxSubjectLength,
  type OwnerMessage,
} from "./agent.ts";
import type {
  findMisunderstanding,
  LiteralWork,
  executeLiteralInstruction,
} from "./literal/literal-worker.ts";
import { errorOf, findTool, noteTool, saveRecordTool, saveTool } from "./literal/tools.ts";
import { literalError } from "./literal/literal-error.ts";
import { pagePath } from "./routes.ts";
import { openJail } from "./tools/jail.ts";
import { ToolRefusal } from "./tools/refusal.ts";
import type { AgentTool } from "./tools/tool.ts";
import { bindTool } from "./tools/toolbox.ts";

const worker = new URL("./literal/literal-worker.ts", import.meta.url);
const readJob = workerJob<typeof findMisunderstanding>(worker, "findMisunderstanding");
const performJob = workerJob<typeof executeLiteralInstruction>(worker, "executeLiteralInstruction");

/**
 * Finds and makes the requested changes in memory. Throws AppError for instructions that it doesn't
 * understand.
 */
async function perform(context: AgentContext, message: string): Promise<LiteralWork> {
  const { root, workers, signal } = context;
  const here = context.pageUrl === null ? null : pagePath(context.pageUrl);
  const limits = context.limits.workspace;
  const projects = JSON.stringify(context.site.projects ?? []);
  const records = (await context.records.list()).filter(({ isReadOnly }) => isReadOnly !== true);
  const work = await workers
    .run(performJob, { root, limits, here, message, projects, records }, { signal })
    .catch((error: unknown) => {
      const isTooMuch = error instanceof WorkerFailure && error.reason !== "busy";
      throw isTooMuch ? literalError("The site's source takes too long to search.") : error;
    });
  if (work.failure) throw errorOf(work.failure);
  return work;
}

function subject(sentences: readonly string[]): string {
  const first = (sentences[0] ?? "")
    .replace(/^Replaced/, "Replace")
    .replace(/ \([^)]*\)\.$|\.$/, "");
  const more = sentences.length > 1 ? ` and ${sentences.length - 1} more` : "";
  const room = maxSubjectLength - more.length;
  return (first.length > room ? `${first.slice(0, room - 1)}…` : first) + more;
}

/** What has been executed in all messages of a session. */
interface Progress {
  steps: number;
  sentences: string[];
}

async function executeInstruction(
  context: AgentContext,
  clock: Pick<Clock, "monotonic">,
  message: string,
  progress: Progress,
): Promise<void> {
  const work = await perform(context, message);
  const jail = await openJail(context.root, context.limits.workspace);
  const step = async (tool: AgentTool, input: unknown): Promise<string> => {
    progress.steps += 1;
    let refused: unknown;
    const watched: AgentTool = {
      ...tool,
      run: (given) =>
        tool.run(given).catch((error: unknown) => {
          refused = error instanceof ToolRefusal ? error.cause : undefined;
          throw error;
        }),
    };
    const report = await bindTool(watched, context, clock).call(`literal-${progress.steps}`, input);
    if (report.ok) return report.text;
    throw refused instanceof AppError ? refused : literalError(report.text);
  };

  const sentences: string[] = [];
  for (const found of work.steps) sentences.push(await step(findTool(found), found.command));
  const { changed, records } = work;
  if (changed.length + records.length === 0)
    throw literalError("Nothing to change: the site already says exactly that.");
  for (const file of changed) {
    await step(saveTool({ jail, ...context }, file), { path: file.path });
  }
  for (const { slug, field, value } of records) {
    await step(saveRecordTool(context, { slug, field, value }), { project: slug, field });
  }
  // Reported as a step, because a run's summary may appear in the public changelog.
  if (work.hasNote) await step(noteTool, {});
  progress.sentences.push(...sentences);
}

function assertTextOnly(hasImages: boolean): void {
  if (!hasImages) return;
  throw new AppError(
    "model_not_configured",
    "Images need a model that can see them. Choose one under Settings → Model.",
  );
}

function assertInstruction(mode: AgentContext["mode"]): void {
  if (mode !== "ask") return;
  throw new AppError(
    "model_not_configured",
    "Questions need a language model. Choose one under Settings → Model.",
  );
}

const assertAccepts: NonNullable<Agent["assertAccepts"]> = async (request, { workers }) => {
  assertInstruction(request.mode);
  assertTextOnly(request.hasImages);
  const failure = await workers.run(readJob, request.text);
  if (failure) throw errorOf(failure);
};

/**
 * The editor that works without a model. It executes instructions of a small grammar
 * (literal/grammar.ts) with exact matches, through the same jail and with the same events as other
 * agents. Its session throws AppError `model_not_configured` for instructions outside the grammar
 * and `validation_failed` for those it can't execute; in both cases it writes nothing.
 */
export function makeLiteralEditor(
  options: { clock?: Pick<Clock, "monotonic">; role?: AgentRole } = {},
): Agent {
  const { clock = systemClock, role = "editor" } = options;
  function open(context: AgentContext): AgentSession {
    const progress: Progress = { steps: 0, sentences: [] };

    async function executeMessage(message: OwnerMessage): Promise<void> {
      context.signal.throwIfAborted();
      assertTextOnly(message.images.length > 0);
      await executeInstruction(context, clock, message.text, progress);
    }

    return {
      async send(message) {
        context.signal.throwIfAborted();
        assertInstruction(context.mode);
        await executeMessage(message);
        for (const further of await context.takeMessages()) await executeMessage(further);
        const { steps, sentences } = progress;
        const usage = {
          inputTokens: 0,
          outputTokens: 0,
          cachedTokens: 0,
          cost: null,
          currency: null,
          steps,
        };
        context.emit({ type: "usage", data: usage });
        return { summary: sentences.join(" "), message: subject(sentences), ...usage };
      },
      async repair(failure) {
        throw literalError(`The site doesn't build with this change: ${failure.slice(0, 500)}`);
      },
    };
  }
  return { name: agentNames[role], model: "literal", currency: null, assertAccepts, open };
}
