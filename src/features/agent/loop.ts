import { AppError } from "../../kit/errors.ts";
import type { AgentContext, AgentReply, AgentSession, OwnerMessage } from "./agent.ts";
import { makeBudget } from "./budget.ts";
import { closingWords } from "./closing-words.ts";
import { bookStep, limitOf, type LoopOptions, nextStep, type Turn } from "./loop-step.ts";
import { callTools } from "./loop-tools.ts";
import type { StepResult } from "./model-step.ts";
import { makeRepetitionWatch } from "./repetition.ts";
import { hearOwner, openTalk, saveTalk, type Talk } from "./talk.ts";
import { makeTextStream } from "./text-stream.ts";

const mostEmptyAnswers = 2;

const meanwhile =
  "The owner says meanwhile (take it into account, and finish with the same two lines, about the whole change):";

const nudges = {
  cut: "Your answer was cut off. Go on.",
  empty: "Your answer was empty. Go on, or finish as you were told.",
};

function refusal(text: string): AppError {
  const said = text.replace(/\s+/g, " ").trim().slice(0, 300);
  const words = said === "" ? "" : ` It said: ${said}`;
  return new AppError("upstream_failed", `The model declined to do this.${words}`, {
    details: { refusal: said },
  });
}

function isDone(step: StepResult): boolean {
  return step.calls.length === 0 && !step.cut && step.text.trim() !== "";
}

/** The owner's messages that came meanwhile join the conversation. */
async function hearMessages({ talk, context, options, signal }: Turn): Promise<boolean> {
  const messages = await context.takeMessages();
  const images = options.images !== false;
  for (const message of messages)
    await hearOwner(talk, message, { lead: meanwhile, images, signal });
  return messages.length > 0;
}

/**
 * Books a step. A ceiling that the last step reaches takes nothing away from what is done: it is
 * handed back, to stop whatever would come next.
 */
async function book(turn: Turn, step: StepResult): Promise<AppError | null> {
  try {
    await bookStep(turn, step);
    return null;
  } catch (error) {
    if (isDone(step) && error instanceof AppError && limitOf(error) !== undefined) return error;
    await saveTalk(turn.talk, turn.context);
    throw error;
  }
}

/** Carries out what a step asked for; afterwards the conversation is whole again, and kept. */
async function carryOut(turn: Turn, step: StepResult): Promise<boolean> {
  const { talk, context, budget } = turn;
  try {
    await callTools(turn, step.calls);
  } catch (error) {
    // What the tools did before they were ended is part of the conversation too.
    await saveTalk(talk, context).catch(() => undefined);
    throw error;
  }
  if (step.calls.length === 0 && !isDone(step)) {
    talk.entries.push({ kind: "note", text: step.cut ? nudges.cut : nudges.empty });
  }
  const heard = await hearMessages(turn);
  await saveTalk(talk, context);
  if (!isDone(step)) budget.assertTokens();
  return heard;
}

interface Ending {
  text: string;
  /** A ceiling that was reached with the last step. */
  ceiling: AppError | null;
}

async function runTurn(turn: Turn): Promise<Ending> {
  const { budget, talk } = turn;
  let empty = 0;
  for (;;) {
    budget.takeStep();
    const step = await nextStep(turn);
    talk.entries.push({ kind: "answer", text: step.text, calls: step.calls, parts: step.messages });
    const ceiling = await book(turn, step);
    if (step.refused) throw refusal(step.text);
    const heard = await carryOut(turn, step);
    const silent = step.calls.length === 0 && !step.cut && step.text.trim() === "";
    empty = silent ? empty + 1 : 0;
    if (!heard && (isDone(step) || empty > mostEmptyAnswers)) return { text: step.text, ceiling };
    if (ceiling !== null) throw ceiling;
  }
}

/**
 * The agent loop: model, tools, model, until it has nothing more to call. Tools run after a step is
 * complete, so an attempt that breaks off leaves no trace. Limits count over the whole session.
 */
export function openLoop(options: LoopOptions, context: AgentContext): AgentSession {
  const budget = makeBudget(context.limits, options.prices, options.clock);
  const watch = makeRepetitionWatch();
  const text = makeTextStream((piece) =>
    context.emit({ type: "model.text", data: { text: piece } }),
  );
  const images = options.images !== false;
  let signal = context.signal;
  let ceiling: AppError | null = null;
  let talk: Talk | undefined;

  async function turn(begin: (talk: Talk) => Promise<void> | void): Promise<AgentReply> {
    context.signal.throwIfAborted();
    if (ceiling !== null) throw ceiling;
    const time = budget.startClock();
    signal = AbortSignal.any([context.signal, time.signal]);
    try {
      talk ??= await openTalk(context, { clock: options.clock, images, signal: () => signal });
      await begin(talk);
      const ending = await runTurn({ talk, context, options, budget, watch, signal, text });
      ceiling = ending.ceiling;
      return { ...closingWords(ending.text, context.mode, talk.changed), ...budget.usage() };
    } finally {
      time.stop();
    }
  }

  async function hear(begun: Talk, message: OwnerMessage): Promise<void> {
    await hearOwner(begun, message, { lead: begun.lead, images, signal });
    begun.lead = "The owner's message:";
  }

  function handBack(begun: Talk, failure: string): void {
    const said = begun.fence.quote("build result", failure);
    begun.entries.push({
      kind: "note",
      text: `The site was built from your changes, and it failed:\n${said}\nRepair it, and finish with the same two lines, about the whole change.`,
    });
  }

  return {
    send: (message) => turn((begun) => hear(begun, message)),
    repair: (failure) => turn((begun) => handBack(begun, failure)),
  };
}
