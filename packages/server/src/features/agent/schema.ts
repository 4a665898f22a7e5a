import { z } from "zod";
import { line } from "../../kit/fields.ts";
import { abilities, modelFields, providers } from "../settings/model-setting.ts";
import { budget } from "../settings/budget-setting.ts";

/** The selected model without its key; null in all fields if there is none. */
export const modelView = z.object({
  /** Selected in the settings, or in vitrine.json. */
  from: z.enum(["settings", "file"]).nullable(),
  provider: z.enum(providers).nullable(),
  id: z.string().nullable(),
  /** Null for the provider's own address. */
  baseUrl: z.string().nullable(),
  /** Price per million tokens. */
  inputPrice: z.number().nullable(),
  outputPrice: z.number().nullable(),
  cachedInputPrice: z.number().nullable(),
  currency: z.string().nullable(),
  /** Its context window in tokens; null for what is usual for the provider. */
  windowTokens: z.number().int().nullable(),
  /** Whether a key is stored for this provider at this address. */
  keySet: z.boolean(),
  /** Null if it was never tested. */
  abilities: abilities.nullable(),
});
export type ModelView = z.infer<typeof modelView>;

/** The abilities that a model has shown; `notes` say what it can't do and why. */
export const modelTest = z.object({
  responds: z.literal(true),
  tools: z.boolean(),
  images: z.boolean(),
  notes: z.array(z.string()),
});
export type ModelTest = z.infer<typeof modelTest>;

/**
 * POST /api/adminsettings/model. Without `apiKey`, the stored key is kept if it was entered for
 * this place; null removes it.
 */
export const modelBody = z.strictObject({
  ...modelFields,
  apiKey: line(1000).nullable().optional(),
});
export type ModelBody = z.infer<typeof modelBody>;

/** POST /api/adminsettings/model and …/test */
export const testedModel = z.object({ model: modelView, test: modelTest });
export type TestedModel = z.infer<typeof testedModel>;

const spent = z.object({ tokens: z.number().int(), cost: z.number().nullable() });

/** POST /api/adminsettings/budget */
export const budgetBody = budget;
/** The limits, and what has been used of the owner's day and month. */
export const budgetView = z.object({
  ...budget.shape,
  spent: z.object({ day: spent, month: spent }),
  /** Of the selected model; null if unknown. */
  currency: z.string().nullable(),
  /** Whether prices are known; without them, costs can't be calculated. */
  priced: z.boolean(),
  /** The limit per run if `run.tokens` is null; null is no limit. */
  usualRunTokens: z.number().int().nullable(),
});
export type BudgetView = z.infer<typeof budgetView>;

/** An empty body. */
export const noBody = z.strictObject({}).nullish();
