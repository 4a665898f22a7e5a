import { z } from "zod";
import { line } from "../../kit/fields.ts";
import { AppError } from "../../kit/errors.ts";
import { cleanText } from "../../kit/text.ts";
import { isModelAddress, modelAddress } from "./model-address.ts";

export const providers = ["anthropic", "openai", "openai-compatible"] as const;
export type Provider = (typeof providers)[number];

/** What a model is called and where it is: what a key is given for, and what a test was about. */
export interface ModelEndpoint {
  provider: Provider;
  baseUrl?: string | null | undefined;
}

const price = z
  .number("must be a number")
  .min(0, "is less than nothing")
  .max(1_000_000, "is too large")
  .nullable()
  .default(null);

function filled(max: number) {
  return line(max, { min: 1 });
}

/** What the owner says of the model. Prices are money for a million tokens. */
export const modelFields = {
  provider: z.enum(providers, "must be one of anthropic, openai, openai-compatible"),
  /** The provider's own name for the model. */
  id: filled(200).regex(/^[\x21-\x7e]+$/, "has a space or a letter that no model's name has"),
  /** The address that the provider's paths follow; null is the provider's own. */
  baseUrl: filled(500)
    .refine(isModelAddress, "must be an http(s) address without a username, password or query")
    .nullable()
    .default(null),
  inputPrice: price,
  outputPrice: price,
  /** For tokens that the provider reads from its cache; null is the provider's usual part. */
  cachedInputPrice: price,
  /** What the prices are in, such as USD. */
  currency: line(40)
    .overwrite((text) => text.toUpperCase())
    .regex(/^[A-Z]{3}$/, "must be a three-letter currency code")
    .nullable()
    .default(null),
  /** How many tokens it takes at once; null is what is usual for its provider. */
  windowTokens: z
    .int("must be a whole number")
    .min(8000, "is less than 8,000, with which nothing can be built")
    .max(10_000_000, "is too large")
    .nullable()
    .default(null),
};

/** What a model was seen to be able to do. */
export const abilities = z.object({
  tools: z.boolean(),
  images: z.boolean(),
  testedAt: z.string(),
});

function hasAddress(model: ModelEndpoint): boolean {
  return model.provider !== "openai-compatible" || (model.baseUrl ?? null) !== null;
}

/** What is wrong with a model whose fields are each right. Throws `validation_failed`. */
export function assertAddress(model: ModelEndpoint): void {
  if (hasAddress(model)) return;
  throw new AppError("validation_failed", "An OpenAI-compatible model needs its address.", {
    fields: { baseUrl: "is needed for an OpenAI-compatible model" },
  });
}

const modelInput = z.strictObject(modelFields);
const storedModel = z.strictObject({ ...modelFields, abilities: abilities.nullable() });
/** The setting `model` as it is stored. */
export type ModelSetting = z.infer<typeof storedModel>;

/** The text that is stored for a model. */
export function modelText(model: ModelSetting): string {
  return JSON.stringify(storedModel.parse(model));
}

/** The stored model. Throws `unavailable` when it is none. */
export function parseModel(text: string): ModelSetting {
  try {
    return storedModel.parse(JSON.parse(text));
  } catch (cause) {
    throw new AppError("unavailable", "The stored model can't be read. Choose it again.", {
      cause,
    });
  }
}

/**
 * The text that is stored for what the owner says as JSON; what the model can do is to be tested
 * anew. Throws `validation_failed`.
 */
export function checkModelInput(input: unknown): string {
  const result = modelInput.safeParse(input);
  if (!result.success) {
    const issue = result.error.issues[0];
    const name = issue?.path.join(".") ?? "";
    const words = `${name} ${issue?.message ?? "is invalid"}`.trim();
    throw new AppError("validation_failed", `model: ${words}.`, { fields: { value: words } });
  }
  assertAddress(result.data);
  return modelText({ ...result.data, abilities: null });
}

const boundKey = z.strictObject({ for: z.string(), key: z.string() });

function owner({ provider, baseUrl }: ModelEndpoint): string {
  return `${provider} ${modelAddress(provider, baseUrl ?? null)}`;
}

/** Printable ASCII, as a header takes it. */
const wholeKey = /^[\x21-\x7e]{1,1000}$/;

/**
 * A key together with the provider and the address that it was given for: what is sealed. Throws
 * `validation_failed` for what can't be a key.
 */
export function bindKey(key: string, endpoint: ModelEndpoint): string {
  const clean = cleanText(key);
  if (wholeKey.test(clean)) return JSON.stringify({ for: owner(endpoint), key: clean });
  const words = "is invalid: it is empty, too long, or contains a space or an unusual character";
  throw new AppError("validation_failed", `The key ${words}.`, { fields: { apiKey: words } });
}

/** The key for this provider and address; null where the stored one was given for another. */
export function boundKeyFor(stored: string | null, endpoint: ModelEndpoint): string | null {
  if (stored === null) return null;
  const { for: givenFor, key } = parseBoundKey(stored);
  return givenFor === owner(endpoint) ? key : null;
}

function parseBoundKey(stored: string): z.infer<typeof boundKey> {
  try {
    return boundKey.parse(JSON.parse(stored));
  } catch {
    // Nothing says whose it is, so it is nobody's.
    return { for: "", key: "" };
  }
}

/** Refuses a key that nothing is said about whose it is. */
export function checkBoundKey(text: string): string {
  if (parseBoundKey(text).for !== "") return text;
  throw new AppError("validation_failed", "An API key belongs to a provider and its address.");
}
