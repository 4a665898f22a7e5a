import type {
  Agent,
  AgentEvent,
  AgentReply,
  StepUse,
} from "../../packages/server/src/features/agent/agent.ts";
import { makeEditor } from "../../packages/server/src/features/agent/model.ts";
import type { ModelChoice } from "../../packages/server/src/features/agent/model-choice.ts";
import { AppError } from "../../packages/server/src/kit/errors.ts";
import { defaultLimits } from "../../packages/server/src/platform/config.ts";
import { agentContext } from "../../test/support/agent-context.ts";
import { type Protocol, startModelServer } from "../../test/support/model-server.ts";
import type { SiteChecker } from "./check-site.ts";
import { type Kind, scriptOf } from "./scripted.ts";
import { questionTasks } from "./tasks-questions.ts";
import { listTasks } from "./tasks-lists.ts";
import { styleTasks } from "./tasks-styles.ts";
import { structureTasks } from "./tasks-structure.ts";
import { textTasks } from "./tasks-texts.ts";
import type { Task } from "./task.ts";
import { type BenchWorkspace, benchWorkspace, mediaDir, original, secret } from "./workspace.ts";

export const tasks: readonly Task[] = [
  ...textTasks,
  ...styleTasks,
  ...listTasks,
  ...structureTasks,
  ...questionTasks,
];

/** The result of one task with one model. */
export interface Result {
  task: string;
  kind: Kind | "real";
  /**
   * Solved; for hostile and broken models: nothing was harmed and the run ended with a plain
   * message.
   */
  passed: boolean;
  solved: boolean;
  steps: number;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  cost: number | null;
  ms: number;
  /** `finished`, or in plain words why the run ended. */
  ended: string;
  /** What is wrong with the result. */
  faults: string[];
  /** What the run harmed; must be empty. */
  harm: string[];
}

interface Outcome {
  reply: AgentReply | null;
  ended: string;
  plain: boolean;
  spent: StepUse[];
  ms: number;
}

const protocols: Protocol[] = ["anthropic", "openai", "openai-compatible"];
/** Typical prices, in dollars per million tokens. */
const scriptedPrices = { inputPrice: 3, outputPrice: 15 };
/** A run of a scripted model that takes longer hangs. */
const minutes = { scripted: 1, real: 10 };

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Whether an error is a plain sentence, without markup, keys, addresses, and stack traces. */
function isPlain(error: unknown): error is AppError {
  return (
    error instanceof AppError &&
    error.code === "upstream_failed" &&
    /^[A-Z][^<>{}\n]+$/.test(error.message) &&
    !/sk-|127\.0\.0\.1|undefined|\bat \w+ \(/.test(error.message)
  );
}

async function execute(
  agent: Agent,
  task: Task,
  workspace: BenchWorkspace,
  checker: SiteChecker,
  real: boolean,
): Promise<Outcome> {
  const spent: StepUse[] = [];
  const events: AgentEvent[] = [];
  const started = performance.now();
  const context = agentContext(workspace.root, events, {
    pageUrl: task.page,
    mode: task.mode,
    mediaDir,
    checkSite: () => checker.check(workspace.root),
    limits: {
      ...defaultLimits.run,
      minutes: real ? minutes.real : minutes.scripted,
      // For a scripted loop, the end matters, not the length.
      steps: real ? defaultLimits.run.steps : 20,
      workspace: defaultLimits.workspace,
    },
    spend: async (use) => void spent.push(use),
  });
  const done = (reply: AgentReply | null, ended: string, plain: boolean): Outcome => {
    return { reply, ended, plain, spent, ms: performance.now() - started };
  };
  try {
    const reply = await agent.open(context).send({
      text: task.instruction,
      elements: task.elements ?? [],
      images: task.images ?? [],
    });
    return done(reply, "finished", true);
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return done(null, words, isPlain(error));
  }
}

function faultsOf(task: Task, workspace: BenchWorkspace, reply: AgentReply | null) {
  if (reply === null) return ["the run did not finish"];
  const changes = workspace.changes();
  const read = (path: string) => (changes.has(path) ? changes.get(path) : original(path)) ?? "";
  const changed = [...changes.keys()];
  const others = changed.filter((path) => !task.may.includes(path));
  const faults = task.check({ read, changed, reply }).filter((fault) => fault !== false);
  return [...faults, ...others.map((path) => `${path} changed`)];
}

interface Run {
  task: Task;
  kind: Kind | "real";
  choice: ModelChoice;
  checker: SiteChecker;
  /** The requests sent to the model, if they can be observed. */
  sent(): string;
}

async function run({ task, kind, choice, checker, sent }: Run): Promise<Result> {
  const workspace = await benchWorkspace();
  try {
    // A broken model may fall silent for good; on a busy machine, the others may be silent for a
    // while.
    const timing = kind === "broken" ? { backoffMs: 1, silentMs: 1000 } : { backoffMs: 1 };
    const agent = makeEditor(choice, kind === "real" ? {} : { timing });
    const real = kind === "real";
    const { reply, ended, plain, spent, ms } = await execute(agent, task, workspace, checker, real);
    const faults = faultsOf(task, workspace, reply);
    const site = workspace.changes().size > 0 ? await checker.check(workspace.root) : null;
    if (site?.ok === false) faults.push(`the site doesn’t build: ${site.errors[0]}`);
    const harm = [
      ...workspace.damage(),
      ...(sent().includes(secret) ? ["a secret left"] : []),
      ...(plain ? [] : [`it ended unplainly: ${ended}`]),
    ];
    const solved = faults.length === 0 && harm.length === 0;
    const costs = spent.map(({ cost }) => cost);
    return {
      task: task.id,
      kind,
      passed: kind === "hostile" || kind === "broken" ? harm.length === 0 : solved,
      solved,
      steps: spent.length,
      inputTokens: sum(spent.map((use) => use.inputTokens)),
      cachedTokens: sum(spent.map((use) => use.cachedTokens)),
      outputTokens: sum(spent.map((use) => use.outputTokens)),
      cost: costs.includes(null) ? null : sum(costs.map((cost) => cost ?? 0)),
      ms: Math.round(ms),
      ended,
      faults,
      harm,
    };
  } finally {
    await workspace.remove();
  }
}

/** Runs a task with a scripted model over the network; the protocols alternate. */
export async function runScripted(
  task: Task,
  kind: Kind,
  at: number,
  checker: SiteChecker,
): Promise<Result> {
  const server = await startModelServer(scriptOf(kind, task, at));
  const provider = protocols[at % protocols.length] ?? "anthropic";
  const config = { provider, id: "scripted", baseUrl: server.url, ...scriptedPrices };
  const choice = { config, apiKey: "sk-bench", abilities: null, from: "file" as const };
  const sent = () => server.requests.map(({ raw }) => raw).join("\n");
  try {
    return await run({ task, kind, choice, checker, sent });
  } finally {
    await server.close();
  }
}

/** Runs a task with a real model. */
export function runReal(task: Task, choice: ModelChoice, checker: SiteChecker): Promise<Result> {
  return run({ task, kind: "real", choice, checker, sent: () => "" });
}
