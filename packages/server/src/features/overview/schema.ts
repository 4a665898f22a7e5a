import { z } from "zod";

/** A sentence about something and its count, and the page that shows or resolves it. */
const item = z.object({
  kind: z.string(),
  count: z.int(),
  text: z.string(),
  href: z.string(),
});
export type OverviewItem = z.infer<typeof item>;

/** Counted tokens, and money if prices are known; otherwise null. */
const spending = z.object({ tokens: z.number(), cost: z.number().nullable() });
const spendingByOrigin = z.object({ runs: spending, tasks: spending, other: spending });
const ceiling = z.object({ tokens: z.number().nullable(), cost: z.number().nullable() });

export const overview = z.object({
  /** What needs the owner, most urgent first; may be empty. */
  attention: z.array(item),
  /** Running and waiting tasks. */
  queue: z.object({ running: z.int(), queued: z.int() }).nullable(),
  /** When the previous visit ended, ISO 8601 UTC; null during the first one. */
  since: z.string().nullable(),
  /** What has happened since then. */
  news: z.array(item),
  /** What models have used; null if it can't be read. */
  cost: z
    .object({
      currency: z.string().nullable(),
      month: spendingByOrigin,
      /** The monthly limit; null if there is none. */
      ceiling,
      /** Null during the first visit. */
      sinceVisit: spendingByOrigin.nullable(),
    })
    .nullable(),
  /** The names of parts that can't be read at the moment; the others are complete. */
  unavailable: z.array(z.string()),
});
export type Overview = z.infer<typeof overview>;
