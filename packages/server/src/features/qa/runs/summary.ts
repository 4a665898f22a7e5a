import { z } from "zod";
import { AppError } from "../../../kit/errors.ts";
import { cleanText } from "../../../kit/text.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Log } from "../../../platform/log.ts";
import type { EditorOptions } from "../../agent/model.ts";
import type { ModelChoice } from "../../agent/model-choice.ts";
import { makeUntrustedDataQuoter } from "../../agent/prompts/untrusted-data.ts";
import { type OutputForm, type DesignLedger, makeModelClient } from "../../design/ask-model.ts";
import { listFindingGroups, listFindings } from "../findings/list-store.ts";
import { listMarkedFindings } from "../findings/store.ts";
import type { Counts } from "../schema.ts";
import { findRun, type QaRunRow, writeSummary } from "./store.ts";
import {
  type SummaryInput,
  plainSummary,
  writerBriefing,
  writerInstructions,
} from "./format-summary.ts";

export interface SummaryDependencies {
  db: Db;
  log: Log;
  /** The selected model; null without one. */
  choice(): Promise<ModelChoice | null>;
  ledger: DesignLedger;
  /** The owner's sources for the QA writer. */
  sources(): Promise<readonly { title: string; url: string; notes: string }[]>;
  /** For tests. */
  model?: Pick<EditorOptions, "fetch" | "timing">;
  /** Time limit for the model, in ms; defaults to a minute. */
  limitMs?: number;
}

export interface Summaries {
  /** Summarizes a QA run once it has ended; the signal aborts when nobody waits any more. */
  summarize(runId: number, signal?: AbortSignal): Promise<void>;
}

const maxSummaryLength = 1200;
const maxItems = { open: 25, changed: 10 } as const;

const summaryForm: OutputForm<{ summary: string }> = {
  name: "give_summary",
  description: "Gives the owner the summary of the run.",
  modelSchema: z.object({
    summary: z.string().describe("Two to five plain sentences, at most 800 characters"),
  }),
  schema: z.object({
    summary: z
      .string()
      .overwrite((text) => cleanText(text.replace(/\s+/g, " ")))
      .min(1, "can't be empty")
      .max(maxSummaryLength),
  }),
};

/** A scheduled run without errors needs no summary. */
function needsSummary(run: QaRunRow, counts: Counts): boolean {
  if (run.status !== "finished" || run.summary !== null) return false;
  return run.trigger_kind !== "heartbeat" || counts.error > 0;
}

async function summaryInputOf(db: Db, run: QaRunRow, counts: Counts): Promise<SummaryInput> {
  const filter = { status: ["open"] } as const;
  const [groups, open, fresh, fixed] = await Promise.all([
    listFindingGroups(db, filter),
    listFindings(db, { ...filter, page: 1, perPage: maxItems.open }),
    listMarkedFindings(db, run.id, "new", maxItems.changed),
    listMarkedFindings(db, run.id, "fixed", maxItems.changed),
  ]);
  const skippedChecks = JSON.parse(run.skipped_checks) as SummaryInput["skippedChecks"];
  return { run, counts, skippedChecks, groups, open: open.rows, fresh, fixed };
}

async function askWriter(
  deps: SummaryDependencies,
  choice: ModelChoice,
  input: SummaryInput,
  signal: AbortSignal,
): Promise<string> {
  const { ledger, model } = deps;
  await ledger.assertOpen();
  const quoter = makeUntrustedDataQuoter();
  const modelClient = makeModelClient({ choice, ledger, purpose: "qa", ...(model && { model }) });
  const { summary } = await modelClient.ask({
    instructions: writerInstructions(quoter),
    content: [{ type: "text", text: writerBriefing(input, await deps.sources(), quoter) }],
    form: summaryForm,
    signal,
  });
  return summary;
}

/** Settles when the signal is aborted, whatever the provider does. */
async function within<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>) {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([work(signal), promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** The QA writer's summary; null without a model, at a limit, or if it fails. */
async function modelSummary(
  deps: SummaryDependencies,
  input: SummaryInput,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const limit = AbortSignal.timeout(deps.limitMs ?? 60_000);
  try {
    const choice = await deps.choice();
    if (choice === null) return null;
    const both = AbortSignal.any([limit, ...(signal ? [signal] : [])]);
    return await within(both, (aborted) => askWriter(deps, choice, input, aborted));
  } catch (err) {
    const ceiling = err instanceof AppError && err.code === "throttled";
    const runId = input.run.id;
    if (ceiling) deps.log.info({ runId }, "a spending limit prevents the QA summary by a model");
    else
      deps.log.warn({ err, runId }, "the model couldn't write the QA summary; using the plain one");
    return null;
  }
}

/**
 * Writes summaries with the selected model, otherwise in plain sentences. A scheduled run without
 * errors gets none. Nothing depends on it.
 */
export function makeSummaries(deps: SummaryDependencies): Summaries {
  const { db } = deps;
  return {
    async summarize(runId, signal) {
      const run = await findRun(db, runId);
      if (!run) return;
      const counts = JSON.parse(run.counts) as Counts;
      if (!needsSummary(run, counts)) return;
      const input = await summaryInputOf(db, run, counts);
      const summary = await modelSummary(deps, input, signal);
      if (summary !== null) await writeSummary(db, runId, { summary, by: "model" });
      else await writeSummary(db, runId, { summary: plainSummary(input), by: "plain" });
    },
  };
}
