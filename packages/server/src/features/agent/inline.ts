import { AppError } from "../../kit/errors.ts";
import { type Clock, systemClock } from "../../kit/clock.ts";
import { WorkerFailure, workerJob } from "../../platform/worker-pool.ts";
import { type Agent, type AgentContext, maxSubjectLength } from "./agent.ts";
import type {
  applyInline,
  InlineWork,
  locateInline,
  ResolvedEdit,
} from "./inline/inline-worker.ts";
import type { InlineAnswer } from "./inline/schema.ts";
import { saveRecordTool, saveTool } from "./literal/tools.ts";
import { openJail } from "./tools/jail.ts";
import { ToolRefusal } from "./tools/refusal.ts";
import type { AgentTool } from "./tools/tool.ts";
import { bindTool } from "./tools/toolbox.ts";

/** The name of edits on the page among the forms that runs carry out. */
export const inlineForm = "inline-edits";

const worker = new URL("./inline/inline-worker.ts", import.meta.url);
const locateJob = workerJob<typeof locateInline>(worker, "locateInline");
const applyJob = workerJob<typeof applyInline>(worker, "applyInline");

type WorkerContext = Pick<AgentContext, "workers"> & { signal?: AbortSignal };

function tooMuch(error: unknown): never {
  if (!(error instanceof WorkerFailure) || error.reason === "busy") throw error;
  throw new AppError(
    "validation_failed",
    "The site's source takes too long to search. Describe the change in the console.",
    { cause: error },
  );
}

/** Where what an owner points at is edited, or why it can't be. Nothing is written. */
export function locateInlineTarget(
  { workers }: WorkerContext,
  input: Parameters<typeof locateInline>[0],
): Promise<InlineAnswer> {
  return workers.run(locateJob, input).catch(tooMuch);
}

/**
 * What these edits make of the site and its records. Nothing is written. Throws `validation_failed`
 * naming each edit that can't be made.
 */
export async function planInlineEdits(
  { workers, signal }: WorkerContext,
  input: Parameters<typeof applyInline>[0],
): Promise<InlineWork> {
  const work = await workers.run(applyJob, input, signal ? { signal } : {}).catch(tooMuch);
  const [first] = work.refused;
  if (first === undefined) return work;
  const fields = Object.fromEntries(
    work.refused.map(({ index, reason }) => [`edits.${index}`, reason]),
  );
  const more = work.refused.length > 1 ? ` (and ${work.refused.length - 1} more)` : "";
  throw new AppError("validation_failed", `${first.reason}${more}`, { fields });
}

function subjectOf([first = "", ...rest]: readonly string[]): string {
  const subject = first.replace(/^Changed/, "Change").replace(/^Replaced/, "Replace");
  const words = subject.replace(/ \([^)]*\)\.$|\.$/, "");
  const more = rest.length > 0 ? ` and ${rest.length} more` : "";
  const room = maxSubjectLength - more.length;
  return (words.length > room ? `${words.slice(0, room - 1)}…` : words) + more;
}

/** Makes the edits in a run's workspace, all of them or none. */
async function carryOut(
  context: AgentContext,
  edits: readonly ResolvedEdit[],
  clock: Pick<Clock, "monotonic">,
) {
  const listed = await context.records.list();
  const records = listed.filter(({ isReadOnly }) => isReadOnly !== true);
  const limits = context.limits.workspace;
  const work = await planInlineEdits(context, { root: context.root, limits, records, edits });
  const jail = await openJail(context.root, limits);
  let steps = 0;
  const step = async (tool: AgentTool, input: unknown): Promise<void> => {
    steps += 1;
    const report = await bindTool(tool, context, clock).call(`inline-${steps}`, input);
    if (!report.ok) throw new AppError("validation_failed", report.text);
  };
  for (const file of work.changed)
    await step(saveTool({ jail, ...context }, file), { path: file.path });
  for (const { slug, field, value } of work.records) {
    await step(saveRecordTool(context, { slug, field, value }), { project: slug, field });
  }
  return { steps, sentences: work.sentences };
}

/**
 * Carries out edits that were made on the page, without a model, by exact replacements. Its session
 * throws `validation_failed` naming the edits that can't be made, and then nothing is written.
 */
export function makeInlineEditor(options: {
  /** The site owner, who has typed them. */
  name: string;
  edits: readonly ResolvedEdit[];
  clock?: Pick<Clock, "monotonic">;
}): Agent {
  const { name, edits, clock = systemClock } = options;
  return {
    name,
    model: "none",
    currency: null,
    open: (context) => ({
      async send() {
        context.signal.throwIfAborted();
        const { steps, sentences } = await carryOut(context, edits, clock).catch(
          (error: unknown) => {
            if (!(error instanceof ToolRefusal)) throw error;
            throw new AppError("validation_failed", error.message, { cause: error });
          },
        );
        return {
          summary: sentences.join(" "),
          message: subjectOf(sentences),
          steps,
          inputTokens: 0,
          outputTokens: 0,
          cachedTokens: 0,
          cost: null,
          currency: null,
        };
      },
      async repair(failure) {
        throw new AppError("validation_failed", failure);
      },
    }),
  };
}
