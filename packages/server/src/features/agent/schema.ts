import { z } from "zod";
import { line } from "../../kit/fields.ts";
import { abilities, modelFields, providers } from "../settings/model-setting.ts";
import { budget } from "../settings/budget-setting.ts";

/** The model in use, without its key. All is null where no model is chosen. */
export const modelView = z.object({
  /** Chosen on the settings page, or in vitrine.json. */
  from: z.enum(["settings", "file"]).nullable(),
  provider: z.enum(providers).nullable(),
  id: z.string().nullable(),
  /** Null is the provider's own. */
  baseUrl: z.string().nullable(),
  /** Money for a million tokens. */
  inputPrice: z.number().nullable(),
  outputPrice: z.number().nullable(),
  cachedInputPrice: z.number().nullable(),
  currency: z.string().nullable(),
  /** How many tokens the model takes at once; null is what is usual for its provider. */
  windowTokens: z.number().int().nullable(),
  /** Whether there is a key for this provider at this address. */
  keySet: z.boolean(),
  /** Null where it was never tested. */
  abilities: abilities.nullable(),
});
export type ModelView = z.infer<typeof modelView>;

/** What a model was seen to do; `notes` say what it can't and why. */
export const modelTest = z.object({
  responds: z.literal(true),
  tools: z.boolean(),
  images: z.boolean(),
  notes: z.array(z.string()),
});
export type ModelTest = z.infer<typeof modelTest>;

/** POST /api/adminsettings/model. Without `apiKey` the stored one stays, where it is for this place; null is none. */
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
/** The ceilings, and what of the owner's day and month is spent. */
export const budgetView = z.object({
  ...budget.shape,
  spent: z.object({ day: spent, month: spent }),
  /** Of the model in use; null where it has none. */
  currency: z.string().nullable(),
  /** Whether prices are known, without which no money can be counted. */
  priced: z.boolean(),
  /** What a run may take where `run.tokens` is null; null is no ceiling. */
  usualRunTokens: z.number().int().nullable(),
});
export type BudgetView = z.infer<typeof budgetView>;

/** A body that says nothing. */
export const noBody = z.strictObject({}).nullish();
