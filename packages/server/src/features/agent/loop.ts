import type { LanguageModel } from "ai";
import type { Clock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import type { AgentContext, AgentReply, AgentRole, AgentSession, OwnerMessage } from "./agent.ts";
import { type Budget, makeBudget, type StepTokens } from "./budget.ts";
import { parseClosingMessage } from "./closing-message.ts";
import { shrinkToFit, totalSize } from "./conversation-size.ts";
import { type ConversationImage, modelMessages, type ToolCallResult } from "./conversation.ts";
import { runStep, type StepCall, type StepResult, type StepTiming } from "./model-step.ts";
import { makeRepetitionDetector, type RepetitionDetector } from "./repetition.ts";
import {
  addUserMessage,
  openConversation,
  type RunConversation,
  storeConversation,
} from "./run-conversation.ts";
import { type BookedModel, stepUse } from "./step-use.ts";
import { makeTextStream, type TextStream } from "./text-stream.ts";
import type { ToolReport } from "./tools/toolbox.ts";

export interface LoopOptions extends BookedModel {
  /** A model object. The type excludes strings, which would be sent to a hosted gateway. */
  model: Exclude<LanguageModel, string>;
  /** Defaults to the Editor. */
  role?: AgentRole;
  clock: Pick<Clock, "monotonic">;
  timing: StepTiming;
  maxOutputTokens?: number;
  /** Whether the model accepts images; defaults to true. */
  images?: boolean;
  /** Tokens that fit into the model's context window; defaults to 150,000. */
  windowTokens?: number;
}

/** Processing one message of the owner, or one failed build. */
interface Turn {
  conversation: RunConversation;
  context: AgentContext;
  options: LoopOptions;
  budget: Budget;
  watch: RepetitionDetector;
  signal: AbortSignal;
  text: TextStream;
}

const defaultWindowTokens = 150_000;
/**
 * The share of the context window at which the conversation is shortened, and to which it is
 * shortened.
 */
const maxWindowShare = 0.7;
const reducedWindowShare = 0.4;
/** For code and text together; a cautious estimate. */
const charactersPerToken = 3;

/** Shortens the conversation before it exceeds the model's context window. */
function fitWindow({ conversation, options }: Turn): void {
  const window = (options.windowTokens ?? defaultWindowTokens) * charactersPerToken;
  if (conversation.briefing.length + totalSize(conversation.entries) <= window * maxWindowShare)
    return;
  conversation.entries = shrinkToFit(
    conversation.entries,
    Math.max(0, window * reducedWindowShare - conversation.briefing.length),
  );
}

function askModel(
  { conversation, options, signal, text }: Turn,
  onLost: (tokens: StepTokens) => void,
): Promise<StepResult> {
  return runStep(
    {
      model: options.model,
      instructions: conversation.instructions,
      messages: modelMessages(conversation.briefing, conversation.entries),
      tools: conversation.tools,
      signal,
      ...(options.maxOutputTokens === undefined
        ? {}
        : { maxOutputTokens: options.maxOutputTokens }),
      onLost,
      onText: (piece) => text.add(piece),
      onRetry: (failure) => text.add(`\n(${failure} Trying again.)\n`),
    },
    options.timing,
  );
}

function isTooLong(error: unknown): boolean {
  const details = error instanceof AppError ? (error.details as { tooLong?: true }) : {};
  return details?.tooLong === true;
}

/**
 * One response of the model. If the provider says that the conversation is too long, it is
 * shortened once, by a lot.
 */
async function nextStep(turn: Turn): Promise<StepResult> {
  fitWindow(turn);
  const lost: StepTokens[] = [];
  const onLost = (tokens: StepTokens) => void lost.push(tokens);
  try {
    return await askModel(turn, onLost);
  } catch (error) {
    const { conversation } = turn;
    const before = totalSize(conversation.entries);
    if (!isTooLong(error)) throw error;
    conversation.entries = shrinkToFit(conversation.entries, before / 4);
    if (totalSize(conversation.entries) === before) throw error;
    turn.text.add("\n(The conversation became too long, so its older part was shortened.)\n");
    return await askModel(turn, onLost);
  } finally {
    turn.text.flush();
    // The reason for the missing response matters more than a limit that was reached as well.
    for (const tokens of lost) await bookStep(turn, { tokens }).catch(() => undefined);
  }
}

function limitOf(error: unknown): string | undefined {
  const limit =
    error instanceof AppError ? (error.details as { limit?: unknown } | undefined)?.limit : null;
  return typeof limit === "string" ? limit : undefined;
}

/**
 * Counts and records what a step used. Throws AppError with `details.limit` if a limit is reached.
 */
async function bookStep(
  { context, options, budget }: Turn,
  step: Pick<StepResult, "tokens">,
): Promise<void> {
  budget.takeTokens(step.tokens);
  context.emit({ type: "usage", data: budget.usage() });
  await context.spend(stepUse(options, step.tokens));
}

const minStepsWithoutWarning = 5;
const maxCallsPerStep = 50;

/**
 * The promise, or the signal's reason as soon as it is aborted, so that no tool delays the end of a
 * run.
 */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason as Error);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

async function runTool({ conversation, signal }: Turn, call: StepCall): Promise<ToolReport> {
  const bound = conversation.tools.find((tool) => tool.name === call.name);
  if (bound === undefined) {
    return { ok: false, text: `There is no tool ${call.name.slice(0, 60)}.` };
  }
  return unlessAborted(bound.call(call.id, call.input), signal);
}

async function callTool(
  turn: Turn,
  call: StepCall,
): Promise<{ report: ToolReport; notes: string[] }> {
  const { conversation, watch, budget } = turn;
  turn.signal.throwIfAborted();
  const note = watch.record(call.name, call.input);
  const report = await runTool(turn, call);
  if (report.ok && (report.changes?.length ?? 0) > 0) {
    for (const { path } of report.changes ?? []) conversation.changed.add(path);
    watch.reset();
  }
  const notes = note === null ? [] : [note];
  if (budget.stepsLeft() <= minStepsWithoutWarning)
    notes.push(`${budget.stepsLeft()} steps are left.`);
  return { report, notes };
}

/** Executes a step's tool calls in order and adds their results to the conversation. */
async function callTools(turn: Turn, calls: readonly StepCall[]): Promise<void> {
  if (calls.length === 0) return;
  const { untrusted, entries } = turn.conversation;
  const results: ToolCallResult[] = [];
  const images: ConversationImage[] = [];
  entries.push({ kind: "results", results, images });
  for (const [i, call] of calls.entries()) {
    const { id, name } = call;
    if (i >= maxCallsPerStep) {
      const text = `Not carried out: an answer may make ${maxCallsPerStep} calls.`;
      results.push({ id, name, ok: false, text });
      continue;
    }
    const { report, notes } = await callTool(turn, call);
    const text = [untrusted.quote(`result of ${name}`, report.text), ...notes].join("\n");
    results.push({ id, name, ok: report.ok, text });
    if (report.ok && report.image !== undefined) {
      const { path, mediaType, bytes } = report.image;
      images.push({ name: path, mediaType, bytes });
    }
  }
}

const maxEmptyAnswers = 2;

const interjectionLead =
  "While you were working, the owner says (take it into account, and finish with the same two lines, about the whole change):";

const nudges = {
  cut: "Your answer was cut off. Continue.",
  empty: "Your answer was empty. Continue, or finish as instructed.",
};

function refusal(text: string): AppError {
  const excerpt = text.replace(/\s+/g, " ").trim().slice(0, 300);
  const excerptText = excerpt === "" ? "" : ` It said: ${excerpt}`;
  return new AppError("upstream_failed", `The model declined this request.${excerptText}`, {
    details: { refusal: excerpt },
  });
}

function isDone(step: StepResult): boolean {
  return step.calls.length === 0 && !step.cut && step.text.trim() !== "";
}

/** Adds the owner's new messages; returns whether there were any. */
async function addWaitingMessages({
  conversation,
  context,
  options,
  signal,
}: Turn): Promise<boolean> {
  const messages = await context.takeMessages();
  const images = options.images !== false;
  for (const message of messages)
    await addUserMessage(conversation, message, { lead: interjectionLead, images, signal });
  return messages.length > 0;
}

/**
 * Records a step. If the last step reaches a limit, its work is kept; the error is returned and
 * prevents any further step.
 */
async function bookAnswer(turn: Turn, step: StepResult): Promise<AppError | null> {
  try {
    await bookStep(turn, step);
    return null;
  } catch (error) {
    if (isDone(step) && error instanceof AppError && limitOf(error) !== undefined) return error;
    await storeConversation(turn.conversation, turn.context);
    throw error;
  }
}

/**
 * Executes a step's tool calls; afterwards, the conversation is complete and stored. Returns
 * whether the owner has added messages.
 */
async function executeToolCalls(turn: Turn, step: StepResult): Promise<boolean> {
  const { conversation, context, budget } = turn;
  try {
    await callTools(turn, step.calls);
  } catch (error) {
    // What the tools did before they were aborted is part of the conversation, too.
    await storeConversation(conversation, context).catch(() => undefined);
    throw error;
  }
  if (step.calls.length === 0 && !isDone(step)) {
    conversation.entries.push({ kind: "note", text: step.cut ? nudges.cut : nudges.empty });
  }
  const hasMessages = await addWaitingMessages(turn);
  await storeConversation(conversation, context);
  if (!isDone(step)) budget.assertTokens();
  return hasMessages;
}

interface TurnResult {
  text: string;
  /** The limit that the last step reached. */
  ceiling: AppError | null;
}

async function runTurn(turn: Turn): Promise<TurnResult> {
  const { budget, conversation } = turn;
  let empty = 0;
  for (;;) {
    budget.takeStep();
    const step = await nextStep(turn);
    conversation.entries.push({
      kind: "answer",
      text: step.text,
      calls: step.calls,
      parts: step.messages,
    });
    const ceiling = await bookAnswer(turn, step);
    if (step.refused) throw refusal(step.text);
    const hasMessages = await executeToolCalls(turn, step);
    const silent = step.calls.length === 0 && !step.cut && step.text.trim() === "";
    empty = silent ? empty + 1 : 0;
    if (!hasMessages && (isDone(step) || empty > maxEmptyAnswers))
      return { text: step.text, ceiling };
    if (ceiling !== null) throw ceiling;
  }
}

/**
 * The agent loop: model, tools, model, until the model makes no more calls. Tools run only after a
 * complete step, so an aborted attempt has no effects. Limits apply to the whole session.
 */
export function openLoop(options: LoopOptions, context: AgentContext): AgentSession {
  const budget = makeBudget(context.limits, options.prices, options.clock);
  const watch = makeRepetitionDetector();
  const text = makeTextStream((piece) =>
    context.emit({ type: "model.text", data: { text: piece } }),
  );
  const images = options.images !== false;
  let signal = context.signal;
  let ceiling: AppError | null = null;
  let conversation: RunConversation | undefined;

  async function turn(
    add: (conversation: RunConversation) => Promise<void> | void,
  ): Promise<AgentReply> {
    context.signal.throwIfAborted();
    if (ceiling !== null) throw ceiling;
    const time = budget.startClock();
    signal = AbortSignal.any([context.signal, time.signal]);
    try {
      conversation ??= await openConversation(context, {
        role: options.role ?? "editor",
        clock: options.clock,
        images,
        signal: () => signal,
      });
      await add(conversation);
      const result = await runTurn({
        conversation,
        context,
        options,
        budget,
        watch,
        signal,
        text,
      });
      ceiling = result.ceiling;
      return {
        ...parseClosingMessage(result.text, context.mode, conversation.changed),
        ...budget.usage(),
      };
    } finally {
      time.stop();
    }
  }

  async function addMessage(to: RunConversation, message: OwnerMessage): Promise<void> {
    await addUserMessage(to, message, { lead: to.lead, images, signal });
    to.lead = "The owner's message:";
  }

  function addFailure(to: RunConversation, failure: string): void {
    const excerpt = to.untrusted.quote("build result", failure);
    to.entries.push({
      kind: "note",
      text: `The site was built from your changes, and it failed:\n${excerpt}\nRepair it, and finish with the same two lines, about the whole change.`,
    });
  }

  return {
    send: (message) => turn((to) => addMessage(to, message)),
    repair: (failure) => turn((to) => addFailure(to, failure)),
  };
}
