import { z } from "zod";
import { code } from "../../../kit/fields.ts";
import { run, runMode, sourcePath } from "../schema.ts";

/** A middle and a high value (90th percentile) of what runs here took. */
const range = z.object({ typical: z.number(), high: z.number() });
const spending = z.object({ tokens: z.number(), cost: z.number().nullable() });
const ceiling = z.object({ tokens: z.number().nullable(), cost: z.number().nullable() });

/** What a run like those before will take, and what may still be spent. */
export const estimate = z.object({
  model: z.string(),
  /** How many runs it is made from; with less than three there is none. */
  runs: z.number().int(),
  /** What the model in use costs in; null where it isn't said. All costs here are in it. */
  currency: z.string().nullable(),
  /** Those that count: what a provider read from its cache counts a tenth. */
  tokens: range.nullable(),
  cost: range.nullable(),
  seconds: range.nullable(),
  run: ceiling,
  day: z.object({ spent: spending, ceiling }),
  month: z.object({ spent: spending, ceiling }),
});
export type Estimate = z.infer<typeof estimate>;

export const estimateQuery = z.strictObject({ mode: runMode.default("build") });

/** GET /devconsole/blame: who last touched a line; with `runId` in that run's preview. */
export const blameQuery = z.strictObject({
  file: sourcePath,
  line: z.coerce.number().int().min(1).max(1_000_000),
  runId: code(64).optional(),
});
export const blame = z.object({
  file: z.string(),
  line: z.number().int(),
  /** Null for a line of a preview that is in no commit yet. */
  commit: z.string().nullable(),
  actor: z.string(),
  at: z.string(),
  /** The commit's subject, or the run's instruction where there is no commit yet. */
  message: z.string(),
  /** The run that did it; null for an edit by hand and for the site as it was installed. */
  run: run
    .pick({
      id: true,
      instruction: true,
      model: true,
      inputTokens: true,
      outputTokens: true,
      cost: true,
      currency: true,
      status: true,
    })
    .nullable(),
});
export type Blame = z.infer<typeof blame>;
