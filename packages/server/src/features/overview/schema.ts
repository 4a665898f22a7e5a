import { z } from "zod";

/** Something with how often there is it, a sentence that says so, and the page that shows or resolves it. */
const item = z.object({
  kind: z.string(),
  count: z.int(),
  text: z.string(),
  href: z.string(),
});
export type OverviewItem = z.infer<typeof item>;

/** Tokens that count, and money where prices are known; null where none are. */
const spending = z.object({ tokens: z.number(), cost: z.number().nullable() });
const spendingByOrigin = z.object({ runs: spending, tasks: spending, other: spending });
const ceiling = z.object({ tokens: z.number().nullable(), cost: z.number().nullable() });

export const overview = z.object({
  /** What needs the owner, what is most urgent first; empty where nothing does. */
  attention: z.array(item),
  /** Tasks that are worked on, and that wait for their turn. */
  queue: z.object({ running: z.int(), queued: z.int() }).nullable(),
  /** When the visit before this one ended, ISO 8601 UTC; null during the first. */
  since: z.string().nullable(),
  /** What has happened since then. */
  news: z.array(item),
  /** What models have taken; null where it can't be read. */
  cost: z
    .object({
      currency: z.string().nullable(),
      month: spendingByOrigin,
      /** The ceiling of the month; null for what has none. */
      ceiling,
      /** Null during the first visit. */
      sinceVisit: spendingByOrigin.nullable(),
    })
    .nullable(),
  /** The parts that can't be read just now, by their names; the others are right all the same. */
  unavailable: z.array(z.string()),
});
export type Overview = z.infer<typeof overview>;
