import { type Clock, systemClock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import {
  type Agent,
  type AgentContext,
  type AgentSession,
  longestSubject,
  type OwnerMessage,
} from "./agent.ts";
import { type Command, grammar, parseInstruction } from "./literal/grammar.ts";
import { readSite } from "./literal/site-source.ts";
import { findTool, type LiteralScope, saveTool } from "./literal/tools.ts";
import { trouble } from "./literal/trouble.ts";
import { beforeData } from "./prompts/fence.ts";
import { pagePath } from "./routes.ts";
import { type Jail, openJail } from "./tools/jail.ts";
import { ToolRefusal } from "./tools/refusal.ts";
import type { AgentTool } from "./tools/tool.ts";
import { bindTool } from "./tools/toolbox.ts";

const mostCommands = 20;

function notUnderstood(rest: string): AppError {
  const piece = rest.length > 80 ? `${rest.slice(0, 80)}…` : rest;
  return new AppError(
    "model_not_configured",
    `No model is configured, and the literal editor doesn't understand “${piece}”. It understands:\n${grammar}\nSeveral go on lines of their own.`,
  );
}

/** What goes along as data is none of the owner's words: the grammar never gets to see it. */
function commandsOf(message: string): Command[] {
  const instruction = beforeData(message);
  const { commands, rest } = parseInstruction(instruction);
  if (rest !== "" || commands.length === 0) throw notUnderstood(rest || instruction.trim());
  if (commands.length > mostCommands) {
    throw trouble(`At most ${mostCommands} instructions at once.`);
  }
  return commands;
}

/** The texts of records, for telling where they are edited. */
async function recordText(jail: Jail, path: string): Promise<string> {
  try {
    return await jail.readText(path);
  } catch (error) {
    if (error instanceof ToolRefusal) return "[]";
    throw error;
  }
}

async function openScope(context: AgentContext): Promise<LiteralScope> {
  const jail = await openJail(context.root, context.limits.workspace);
  const projects = JSON.stringify(context.site.projects ?? []);
  const [site, changelog] = await Promise.all([
    readSite(jail),
    recordText(jail, "database/changelog.json"),
  ]);
  const here = context.pageUrl === null ? null : pagePath(context.pageUrl);
  return { jail, site, records: { projects, changelog }, here };
}

function subject(sentences: readonly string[]): string {
  const first = (sentences[0] ?? "")
    .replace(/^Replaced/, "Replace")
    .replace(/ \([^)]*\)\.$|\.$/, "");
  const more = sentences.length > 1 ? ` and ${sentences.length - 1} more` : "";
  const room = longestSubject - more.length;
  return (first.length > room ? `${first.slice(0, room - 1)}…` : first) + more;
}

/** What was carried out so far, over all the messages of a session. */
interface Progress {
  steps: number;
  sentences: string[];
}

async function carryOut(
  context: AgentContext,
  clock: Pick<Clock, "monotonic">,
  commands: readonly Command[],
  progress: Progress,
): Promise<void> {
  const scope = await openScope(context);
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
    throw refused instanceof AppError ? refused : trouble(report.text);
  };

  const sentences: string[] = [];
  for (const command of commands) sentences.push(await step(findTool(scope, command), command));
  const changed = scope.site.changed();
  if (changed.length === 0) throw trouble("Nothing changes: the site already says exactly that.");
  for (const { path, text } of changed) await step(saveTool(scope, path, text), { path });
  progress.sentences.push(...sentences);
}

function assertWordsOnly({ pictures }: OwnerMessage): void {
  if (pictures.length === 0) return;
  throw new AppError(
    "model_not_configured",
    "Pictures need a model that looks at them; none is configured.",
  );
}

/**
 * The editor that works without a model: it carries out instructions of a small grammar
 * (literal/grammar.ts) by exact matches, through the same jail and with the same events.
 * Its session throws AppError `model_not_configured` for what is not in the grammar and
 * `validation_failed` for what it can't do; nothing is written then.
 */
export function makeLiteralEditor(options: { clock?: Pick<Clock, "monotonic"> } = {}): Agent {
  const clock = options.clock ?? systemClock;
  function open(context: AgentContext): AgentSession {
    const progress: Progress = { steps: 0, sentences: [] };

    async function carryOutMessage(message: OwnerMessage): Promise<void> {
      context.signal.throwIfAborted();
      assertWordsOnly(message);
      await carryOut(context, clock, commandsOf(message.text), progress);
    }

    return {
      async send(message) {
        context.signal.throwIfAborted();
        if (context.mode === "ask") {
          throw new AppError("model_not_configured", "Questions need a model; none is configured.");
        }
        await carryOutMessage(message);
        for (const further of await context.takeMessages()) await carryOutMessage(further);
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
        throw trouble(`The change doesn't build: ${failure.slice(0, 500)}`);
      },
    };
  }
  return { name: "Editor", model: "literal", currency: null, open };
}
