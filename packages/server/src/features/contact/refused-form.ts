import { formPage } from "./plain-page.ts";
import { WorkerFailure, workerJob, type WorkerPool } from "../../platform/worker-pool.ts";
import { refill, type FormError } from "./refill.ts";
import type { refillPage } from "./refill-worker.ts";

/** The parts of an error, ours or Fastify's, that the visitor needs. */
export interface FormRefusal {
  status: number;
  /** Errors by field. */
  fields: Readonly<Record<string, string>>;
}

/** The input in visible fields. */
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
  422: "Your message hasn’t been sent yet. Please check the marked fields.",
  429: "You’ve sent many messages in a short time. Please send this one in a few minutes.",
};
const defaultMessage = "Your message couldn’t be sent. Please try again in a moment.";

/** Larger pages aren't filled in. */
const maxPageBytes = 2 * 1024 * 1024;

const refillJob = workerJob<typeof refillPage>(
  new URL("./refill-worker.ts", import.meta.url),
  "refillPage",
);

/** If a page can't be processed, a plain form replaces it, so that the input isn't lost. */
function noneForFailure(error: unknown): null {
  if (error instanceof WorkerFailure) return null;
  throw error;
}

/**
 * The page to show for a rejected form: the page it was on, filled in again, so that no input is
 * lost. `pages` are the pages that may contain the form, as HTML, most likely first.
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
