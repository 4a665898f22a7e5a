import { z } from "zod";
import { AppError } from "../../../kit/errors.ts";
import { cleanText } from "../../../kit/text.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Log } from "../../../platform/log.ts";
import type { EditorOptions } from "../../agent/model.ts";
import type { ModelChoice } from "../../agent/model-choice.ts";
import { makeUntrustedDataQuoter } from "../../agent/prompts/untrusted-data.ts";
import { type AnswerForm, type DesignLedger, makeAsker } from "../../design/ask-model.ts";
import { groupsOf, listFindings } from "../findings/list-store.ts";
import { findingsMarked } from "../findings/store.ts";
import type { Counts } from "../schema.ts";
import { passById, type PassRow, writeSummary } from "./store.ts";
import {
  type PassNews,
  plainSummary,
  writerBriefing,
  writerInstructions,
} from "./summary-words.ts";

export interface SummaryDeps {
  db: Db;
  log: Log;
  /** The model in use now; null without one. */
  choice(): Promise<ModelChoice | null>;
  ledger: DesignLedger;
  /** The owner's sources for the QA writer. */
  sources(): Promise<readonly { title: string; url: string; notes: string }[]>;
  /** For tests. */
  model?: Pick<EditorOptions, "fetch" | "timing">;
  /** How long the model may take, in ms; a minute. */
  limitMs?: number;
}

export interface Summaries {
  /** Says in words what a pass came to, once it is over; the signal says that nobody waits any more. */
  summarise(passId: number, signal?: AbortSignal): Promise<void>;
}

const longest = 1200;
const shown = { open: 25, changed: 10 } as const;

const summaryForm: AnswerForm<{ summary: string }> = {
  name: "give_summary",
  description: "Gives the owner the summary of the pass.",
  offered: z.object({
    summary: z.string().describe("Two to five plain sentences, at most 800 characters"),
  }),
  schema: z.object({
    summary: z
      .string()
      .overwrite((text) => cleanText(text.replace(/\s+/g, " ")))
      .min(1, "is empty")
      .max(longest),
  }),
};

/** A scheduled pass without errors is not worth a word. */
function deservesWords(pass: PassRow, counts: Counts): boolean {
  if (pass.status !== "finished" || pass.summary !== null) return false;
  return pass.trigger_kind !== "heartbeat" || counts.error > 0;
}

async function newsOf(db: Db, pass: PassRow, counts: Counts): Promise<PassNews> {
  const filter = { status: ["open"] } as const;
  const [groups, open, fresh, fixed] = await Promise.all([
    groupsOf(db, filter),
    listFindings(db, { ...filter, page: 1, perPage: shown.open }),
    findingsMarked(db, pass.id, "new", shown.changed),
    findingsMarked(db, pass.id, "fixed", shown.changed),
  ]);
  const notRun = JSON.parse(pass.not_run) as PassNews["notRun"];
  return { pass, counts, notRun, groups, open: open.rows, fresh, fixed };
}

async function askWriter(
  deps: SummaryDeps,
  choice: ModelChoice,
  news: PassNews,
  signal: AbortSignal,
): Promise<string> {
  const { ledger, model } = deps;
  await ledger.assertOpen();
  const fence = makeUntrustedDataQuoter();
  const asker = makeAsker({ choice, ledger, purpose: "qa", ...(model && { model }) });
  const { summary } = await asker.ask({
    instructions: writerInstructions(fence),
    content: [{ type: "text", text: writerBriefing(news, await deps.sources(), fence) }],
    form: summaryForm,
    signal,
  });
  return summary;
}

/** Settles when the signal is aborted, whatever the model's provider does. */
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

/** The QA writer's words; null without a model, at a ceiling, or when it fails. */
async function modelSummary(
  deps: SummaryDeps,
  news: PassNews,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const limit = AbortSignal.timeout(deps.limitMs ?? 60_000);
  try {
    const choice = await deps.choice();
    if (choice === null) return null;
    const both = AbortSignal.any([limit, ...(signal ? [signal] : [])]);
    return await within(both, (aborted) => askWriter(deps, choice, news, aborted));
  } catch (err) {
    const ceiling = err instanceof AppError && err.code === "throttled";
    const passId = news.pass.id;
    if (ceiling) deps.log.info({ passId }, "a ceiling keeps the QA writer from writing");
    else deps.log.warn({ err, passId }, "the QA writer could not write; plain sentences do");
    return null;
  }
}

/**
 * Writes summaries: by the model in use, as one of the agents, else in plain sentences. A scheduled
 * pass without errors gets none. Nothing waits for it but who wants to know when it is done.
 */
export function makeSummaries(deps: SummaryDeps): Summaries {
  const { db } = deps;
  return {
    async summarise(passId, signal) {
      const pass = await passById(db, passId);
      if (!pass) return;
      const counts = JSON.parse(pass.counts) as Counts;
      if (!deservesWords(pass, counts)) return;
      const news = await newsOf(db, pass, counts);
      const summary = await modelSummary(deps, news, signal);
      if (summary !== null) await writeSummary(db, passId, { summary, by: "model" });
      else await writeSummary(db, passId, { summary: plainSummary(news), by: "plain" });
    },
  };
}
