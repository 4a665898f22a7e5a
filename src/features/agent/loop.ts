import type { LanguageModel, ModelMessage, ToolResultPart, UserContent } from "ai";
import type { Clock } from "../../kit/clock.ts";
import {
  type AgentContext,
  type AgentReply,
  type AgentSession,
  longestSubject,
  type OwnerMessage,
} from "./agent.ts";
import { type Budget, makeBudget, type Prices } from "./budget.ts";
import { runStep, type StepCall, type StepResult, type StepTiming } from "./model-step.ts";
import { editorBriefing, editorInstructions } from "./prompts/editor.ts";
import { type Fence, makeFence } from "./prompts/fence.ts";
import { makeRepetitionWatch, type RepetitionWatch } from "./repetition.ts";
import { makeTextStream, type TextStream } from "./text-stream.ts";
import { type Jail, openJail } from "./tools/jail.ts";
import { type BoundTool, makeTools, type ToolReport } from "./tools/toolbox.ts";

export interface LoopOptions {
  /** A model object. A string would be sent to a hosted gateway, so the type has none. */
  model: Exclude<LanguageModel, string>;
  clock: Pick<Clock, "monotonic">;
  timing: StepTiming;
  prices: Prices | null;
  maxOutputTokens?: number;
}

/** One run's conversation, and what goes with it. */
interface Conversation {
  jail: Jail;
  fence: Fence;
  instructions: string;
  tools: BoundTool[];
  messages: ModelMessage[];
}

const fewSteps = 5;
const longestSummary = 400;

function lastMatch(text: string, pattern: RegExp): string {
  return (
    [...text.matchAll(pattern)]
      .at(-1)?.[1]
      ?.trim()
      .replace(/^[*_`"“]+|[*_`"”]+$/g, "") ?? ""
  );
}

/** The summary and the commit's subject from the model's last words; its last paragraph where it gave none. */
function closing(
  text: string,
  mode: AgentContext["mode"],
): Pick<AgentReply, "summary" | "message"> {
  if (mode === "ask") return { summary: text.trim(), message: "" };
  const summary = lastMatch(text, /^[\s*_]*Summary:[*_]*[ \t]*(.+)$/gim);
  const subject = /^[\s*_]*Commit:[*_]*[ \t]*(.*)$/gim;
  const message = lastMatch(text, subject);
  const paragraphs = text
    .replace(subject, "")
    .trim()
    .split(/\n{2,}/);
  return {
    summary: (summary || (paragraphs.at(-1) ?? "")).slice(0, longestSummary),
    message: message.slice(0, longestSubject),
  };
}

async function openConversation(
  context: AgentContext,
  clock: LoopOptions["clock"],
): Promise<Conversation> {
  const jail = await openJail(context.root, context.limits.workspace);
  const fence = makeFence();
  return {
    jail,
    fence,
    instructions: editorInstructions(context.mode, fence),
    tools: makeTools({ jail, checkSite: () => context.checkSite() }, context, clock),
    messages: [],
  };
}

async function firstMessage(talk: Conversation, context: AgentContext, message: string) {
  const briefing = await editorBriefing(talk.jail, context.pageUrl, talk.fence);
  return `${briefing}\n\nThe owner's message:\n${message}`;
}

function repairMessage(talk: Conversation, failure: string): string {
  const said = talk.fence.quote("build result", failure);
  return `The site was built from your changes, and it failed:\n${said}\nRepair it, and finish with the same two lines, about the whole change.`;
}

function resultPart(
  call: StepCall,
  report: ToolReport,
  notes: string[],
  fence: Fence,
): ToolResultPart {
  const text = [fence.quote(`result of ${call.name}`, report.text), ...notes].join("\n");
  return {
    type: "tool-result",
    toolCallId: call.id,
    toolName: call.name,
    output: report.ok ? { type: "text", value: text } : { type: "error-text", value: text },
  };
}

/** Images go in a message of their own: not every provider takes them in a tool's result. */
function imagePart(image: { mediaType: string; bytes: Uint8Array }): Exclude<UserContent, string> {
  return [{ type: "file", mediaType: image.mediaType, data: image.bytes }];
}

interface Turn {
  talk: Conversation;
  context: AgentContext;
  budget: Budget;
  watch: RepetitionWatch;
  signal: AbortSignal;
}

async function callTool(
  turn: Turn,
  call: StepCall,
): Promise<{ report: ToolReport; notes: string[] }> {
  const { talk, watch, budget } = turn;
  turn.signal.throwIfAborted();
  const note = watch.see(call.name, call.input);
  const bound = talk.tools.find((tool) => tool.name === call.name);
  const report: ToolReport =
    bound === undefined
      ? { ok: false, text: `There is no tool ${call.name.slice(0, 60)}.` }
      : await bound.call(call.id, call.input);
  if (report.ok && (report.changes?.length ?? 0) > 0) watch.reset();
  const notes = note === null ? [] : [note];
  if (budget.stepsLeft() <= fewSteps) notes.push(`${budget.stepsLeft()} steps are left.`);
  return { report, notes };
}

/** Runs a step's tools one after the other, as asked, and tells the model what came of it. */
async function callTools(turn: Turn, calls: readonly StepCall[]): Promise<void> {
  const results: ToolResultPart[] = [];
  const images: Exclude<UserContent, string> = [];
  for (const call of calls) {
    const { report, notes } = await callTool(turn, call);
    results.push(resultPart(call, report, notes, turn.talk.fence));
    if (report.ok && report.image !== undefined) images.push(...imagePart(report.image));
  }
  turn.talk.messages.push({ role: "tool", content: results });
  if (images.length > 0) turn.talk.messages.push({ role: "user", content: images });
}

function nextStep(turn: Turn, options: LoopOptions, text: TextStream): Promise<StepResult> {
  return runStep(
    {
      model: options.model,
      instructions: turn.talk.instructions,
      messages: turn.talk.messages,
      tools: turn.talk.tools,
      signal: turn.signal,
      ...(options.maxOutputTokens === undefined
        ? {}
        : { maxOutputTokens: options.maxOutputTokens }),
      onText: (piece) => text.add(piece),
      onRetry: (failure) => text.add(`\n(${failure} Trying again.)\n`),
    },
    options.timing,
  );
}

async function runTurn(turn: Turn, options: LoopOptions): Promise<string> {
  const { budget, context, talk } = turn;
  const text = makeTextStream((piece) =>
    context.emit({ type: "model.text", data: { text: piece } }),
  );
  for (;;) {
    budget.takeStep();
    const step = await nextStep(turn, options, text).finally(() => text.flush());
    budget.takeTokens(step.inputTokens, step.outputTokens);
    context.emit({ type: "usage", data: budget.usage() });
    talk.messages.push(...step.messages);
    if (step.calls.length === 0 && !step.cut) return step.text;
    budget.assertTokens();
    await callTools(turn, step.calls);
    if (step.calls.length === 0) {
      talk.messages.push({ role: "user", content: "Your answer was cut off. Go on." });
    }
  }
}

/**
 * The agent loop: model, tools, model, until it has nothing more to call. Tools run after a step is
 * complete, so an attempt that breaks off leaves no trace. Limits count over the whole session.
 */
export function openLoop(options: LoopOptions, context: AgentContext): AgentSession {
  const budget = makeBudget(context.limits, options.prices, options.clock);
  const watch = makeRepetitionWatch();
  let talk: Conversation | undefined;

  async function turn(
    content: (talk: Conversation) => Promise<string> | string,
  ): Promise<AgentReply> {
    context.signal.throwIfAborted();
    talk ??= await openConversation(context, options.clock);
    talk.messages.push({ role: "user", content: await content(talk) });
    const time = budget.startClock();
    try {
      const signal = AbortSignal.any([context.signal, time.signal]);
      const text = await runTurn({ talk, context, budget, watch, signal }, options);
      return { ...closing(text, context.mode), ...budget.usage() };
    } finally {
      time.stop();
    }
  }
  return {
    send: ({ text }: OwnerMessage) => turn((begun) => firstMessage(begun, context, text)),
    repair: (failure) => turn((begun) => repairMessage(begun, failure)),
  };
}
