import type { ModelMessage, UserContent } from "ai";
import type { z } from "zod";
import { AppError } from "../../kit/errors.ts";
import type { StepUse } from "../agent/agent.ts";
import type { StepTokens } from "../agent/budget.ts";
import type { EditorOptions } from "../agent/model.ts";
import type { ModelChoice } from "../agent/model-choice.ts";
import type { StepResult, StepTiming } from "../agent/model-step.ts";
import { bookedModel, stepUse } from "../agent/step-use.ts";
import type { BoundTool } from "../agent/tools/toolbox.ts";

/** What a model is called for. */
type ModelPurpose = "draft" | "design" | "qa";

/** Where the design agents' usage is recorded; see the agents' ledger. */
export interface DesignLedger {
  assertOpen(): Promise<void>;
  book(use: StepUse & { purpose: ModelPurpose; runId: null }): Promise<void>;
}

/** A form for the model to fill in, offered as a tool whose input is the answer. */
export interface OutputForm<Answer> {
  name: string;
  description: string;
  /** The schema that the model gets. */
  modelSchema: z.ZodType;
  /** The schema for validation. */
  schema: z.ZodType<Answer>;
}

export interface Question<Answer> {
  instructions: string;
  content: Exclude<UserContent, string>;
  form: OutputForm<Answer>;
  signal: AbortSignal;
  /** Called before the single repair. */
  onRepair?(): void;
}

export interface ModelClient {
  /** Whether images can be sent: false if the model was found not to support them. */
  readonly supportsImages: boolean | null;
  /**
   * Asks for one answer that matches the form. An invalid answer is sent back once with its errors.
   * Throws AppError `upstream_failed` if the second one is invalid, too, or the provider fails.
   */
  ask<Answer>(question: Question<Answer>): Promise<Answer>;
}

/** Images and long answers take time; the caller's signal limits the whole. */
const timing: Partial<StepTiming> = { silentMs: 90_000, retries: 2 };
const outputTokens = 12_000;

/** Only offered: its input is read, and nothing is executed. */
function asTool({ name, description, modelSchema: offered }: OutputForm<unknown>): BoundTool {
  return { name, description, input: offered, call: async () => ({ ok: true, text: "" }) };
}

/** The outermost braces in a text, for models that answer in prose. */
function jsonIn(text: string): unknown {
  const [start, end] = [text.indexOf("{"), text.lastIndexOf("}")];
  if (start < 0 || end < start) return undefined;
  try {
    return JSON.parse(text.slice(start, end + 1)) as unknown;
  } catch {
    return undefined;
  }
}

function outputOf({ calls, text }: StepResult, form: OutputForm<unknown>): unknown {
  const input = calls.find(({ name }) => name === form.name)?.input ?? calls[0]?.input;
  return typeof input === "string" ? jsonIn(input) : (input ?? jsonIn(text));
}

function complaint(error: z.ZodError): string {
  const lines = error.issues
    .slice(0, 20)
    .map((issue) => `- ${issue.path.join(".") || "the whole answer"}: ${issue.message}`);
  return lines.join("\n");
}

/** The model's invalid answer and its errors; a call gets a result, as the protocols require. */
function repairMessages(step: StepResult, wrong: string): ModelMessage[] {
  const text = `This answer is invalid and was rejected:\n${wrong}\nGive the whole answer again, corrected.`;
  if (step.calls.length === 0) return [...step.messages, { role: "user", content: text }];
  return [
    ...step.messages,
    {
      role: "tool",
      content: step.calls.map(({ id, name }) => ({
        type: "tool-result",
        toolCallId: id,
        toolName: name,
        output: { type: "error-text", value: text },
      })),
    },
  ];
}

/** Why a model's response isn't an answer, as a text. */
function invalidOutputReason(step: StepResult): AppError | null {
  if (step.refused) return new AppError("upstream_failed", "The model declined to answer.");
  return null;
}

interface ModelClientDependencies {
  choice: ModelChoice;
  ledger: DesignLedger;
  purpose: ModelPurpose;
  model?: Pick<EditorOptions, "fetch" | "timing"> | undefined;
}

/** The model clients are loaded for the first question, so that the runner starts without them. */
async function openModel(choice: ModelChoice, deps: ModelClientDependencies["model"]) {
  const [{ chosenModel }, { defaultTiming, runStep }] = await Promise.all([
    import("../agent/model.ts"),
    import("../agent/model-step.ts"),
  ]);
  return {
    model: chosenModel(choice, deps),
    timing: { ...defaultTiming, ...timing, ...deps?.timing },
    runStep,
  };
}

/** Gets one response of the model and records its usage; `over` is why there can't be another. */
function makeStep({ choice, ledger, purpose, model: deps }: ModelClientDependencies) {
  const booked = bookedModel(choice.config);
  const book = (tokens: StepTokens) =>
    ledger.book({ ...stepUse(booked, tokens), purpose, runId: null });
  return async (
    { instructions, form, signal }: Question<unknown>,
    messages: readonly ModelMessage[],
  ): Promise<{ result: StepResult; exhausted: unknown }> => {
    const lost: StepTokens[] = [];
    const wire = await openModel(choice, deps);
    const step = wire.runStep(
      {
        model: wire.model,
        instructions,
        messages,
        tools: [asTool(form)],
        signal,
        maxOutputTokens: outputTokens,
        onText: () => {},
        onLost: (tokens) => lost.push(tokens),
        onRetry: () => {},
      },
      wire.timing,
    );
    const result = await step.finally(async () => {
      // The reason for the missing response matters more than a limit that was reached as well.
      for (const tokens of lost) await book(tokens).catch(() => undefined);
    });
    // A response that was paid for is used, even if the limit allows no other.
    const over = await book(result.tokens).then(
      () => null,
      (error: unknown) => error,
    );
    return { result, exhausted: over };
  };
}

/**
 * A client for the selected model; the usage of each response is recorded before the next request.
 */
export function makeModelClient(deps: ModelClientDependencies): ModelClient {
  const step = makeStep(deps);
  return {
    supportsImages: deps.choice.abilities?.images ?? null,
    async ask(question) {
      const { form, signal } = question;
      const messages: ModelMessage[] = [{ role: "user", content: question.content }];
      for (let repaired = false; ; repaired = true) {
        signal.throwIfAborted();
        const { result, exhausted: over } = await step(question, messages);
        const reason = invalidOutputReason(result);
        if (reason) throw reason;
        const parsed = form.schema.safeParse(outputOf(result, form));
        if (parsed.success) return parsed.data;
        if (over !== null) throw over;
        const wrong = result.cut
          ? "- the whole answer: it was cut off, make it shorter"
          : complaint(parsed.error);
        if (repaired) {
          throw new AppError(
            "upstream_failed",
            "The model gave two answers that can't be used. Try again.",
            {
              details: { problems: wrong },
            },
          );
        }
        question.onRepair?.();
        messages.push(...repairMessages(result, wrong));
      }
    },
  };
}
