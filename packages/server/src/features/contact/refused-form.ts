import { formPage } from "./plain-page.ts";
import { WorkerFailure, workerJob, type WorkerPool } from "../../platform/worker-pool.ts";
import { refill, type FormError } from "./refill.ts";
import type { refillPage } from "./refill-worker.ts";

/** A refusal, ours or Fastify's, as far as its reader needs it. */
export interface FormRefusal {
  status: number;
  /** What is wrong with which field. */
  fields: Readonly<Record<string, string>>;
}

/** What was typed into the fields that people see. */
function valuesOf(body: unknown): Record<string, string> {
  const entries = Object.entries((body ?? {}) as Record<string, unknown>);
  return Object.fromEntries(
    entries.filter(
      (entry): entry is [string, string] => entry[0] !== "website" && typeof entry[1] === "string",
    ),
  );
}

const messagesByStatus: Readonly<Record<number, string>> = {
  413: "Your message is too long to be sent. Please shorten it.",
  422: "Your message is not sent yet. Please look at what is marked.",
  429: "Many messages have come from you in a short time. Please send this one in a few minutes.",
};
const defaultMessage = "Your message could not be sent just now. Please try again in a moment.";

/** A longer page is not filled in again. */
const maxPageBytes = 2 * 1024 * 1024;

const refillJob = workerJob<typeof refillPage>(
  new URL("./refill-worker.ts", import.meta.url),
  "refillPage",
);

/** What is typed is not lost: a plain form takes the place of a page that can't be processed. */
function noneForFailure(error: unknown): null {
  if (error instanceof WorkerFailure) return null;
  throw error;
}

/**
 * The page to answer a form with that was not taken: the one that it was on, filled in again, so that
 * nothing that was typed is lost. `pages` are where the form may be, as HTML, the likeliest first.
 */
export async function renderRefusedForm(
  refusal: FormRefusal,
  body: unknown,
  options: { action: string; pages: (() => Promise<string | null>)[]; workers: WorkerPool },
): Promise<string> {
  const { action, pages, workers } = options;
  const message = messagesByStatus[refusal.status] ?? defaultMessage;
  const formError: FormError = { message, fields: refusal.fields, values: valuesOf(body) };
  for (const read of pages) {
    const page = await read().catch(() => null);
    if (page === null || page.length > maxPageBytes) continue;
    const filled = await workers.run(refillJob, { page, action, formError }).catch(noneForFailure);
    if (filled !== null) return filled;
  }
  return refill(formPage(action), action, formError) ?? "";
}
