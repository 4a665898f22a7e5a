import { z } from "zod";
import { line } from "../../kit/fields.ts";
import { AppError } from "../../kit/errors.ts";
import { cleanText } from "../../kit/text.ts";
import { isModelAddress, modelAddress } from "./model-address.ts";

export const providers = ["anthropic", "openai", "openai-compatible"] as const;
export type Provider = (typeof providers)[number];

/** A model's name and location, for which a key was entered and a test was done. */
export interface ModelEndpoint {
  provider: Provider;
  baseUrl?: string | null | undefined;
}

const price = z
  .number("must be a number")
  .min(0, "must be 0 or more")
  .max(1_000_000, "is too large")
  .nullable()
  .default(null);

function filled(max: number) {
  return line(max, { min: 1 });
}

/** The owner's settings of a model. Prices are per million tokens. */
export const modelFields = {
  provider: z.enum(providers, "must be one of anthropic, openai, openai-compatible"),
  /** The provider's name for the model. */
  id: filled(200).regex(
    /^[\x21-\x7e]+$/,
    "has a space or a character that model names can't contain",
  ),
  /** The base address; null for the provider's own. */
  baseUrl: filled(500)
    .refine(isModelAddress, "must be an http(s) address without a username, password or query")
    .nullable()
    .default(null),
  inputPrice: price,
  outputPrice: price,
  /** For tokens read from the provider's cache; null for the provider's usual discount. */
  cachedInputPrice: price,
  /** The currency of the prices, such as USD. */
  currency: line(40)
    .overwrite((text) => text.toUpperCase())
    .regex(/^[A-Z]{3}$/, "must be a three-letter currency code")
    .nullable()
    .default(null),
  /** Its context window in tokens; null for what is usual for the provider. */
  windowTokens: z
    .int("must be a whole number")
    .min(8000, "must be at least 8,000 for the agents to work")
    .max(10_000_000, "is too large")
    .nullable()
    .default(null),
};

/** The abilities that a model has shown. */
export const abilities = z.object({
  tools: z.boolean(),
  images: z.boolean(),
  testedAt: z.string(),
});

function hasAddress(model: ModelEndpoint): boolean {
  return model.provider !== "openai-compatible" || (model.baseUrl ?? null) !== null;
}

/** Validates fields in combination. Throws `validation_failed`. */
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

/** The text to store for a model. */
export function modelText(model: ModelSetting): string {
  return JSON.stringify(storedModel.parse(model));
}

/** The stored model. Throws `unavailable` if it is invalid. */
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
 * The text to store for the owner's JSON input; the abilities have to be tested again. Throws
 * `validation_failed`.
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

/** Printable ASCII, as allowed in a header. */
const wholeKey = /^[\x21-\x7e]{1,1000}$/;

/**
 * A key with the provider and address it was entered for, to be encrypted together. Throws
 * `validation_failed` for an impossible key.
 */
export function bindKey(key: string, endpoint: ModelEndpoint): string {
  const clean = cleanText(key);
  if (wholeKey.test(clean)) return JSON.stringify({ for: owner(endpoint), key: clean });
  const words = "is invalid: it is empty, too long, or contains a space or an unusual character";
  throw new AppError("validation_failed", `The key ${words}.`, { fields: { apiKey: words } });
}

/**
 * The key for this provider and address; null if the stored one was entered for a different one.
 */
export function boundKeyFor(stored: string | null, endpoint: ModelEndpoint): string | null {
  if (stored === null) return null;
  const { for: givenFor, key } = parseBoundKey(stored);
  return givenFor === owner(endpoint) ? key : null;
}

function parseBoundKey(stored: string): z.infer<typeof boundKey> {
  try {
    return boundKey.parse(JSON.parse(stored));
  } catch {
    // Without a provider, it belongs to none.
    return { for: "", key: "" };
  }
}

/** Refuses a key without a provider. */
export function checkBoundKey(text: string): string {
  if (parseBoundKey(text).for !== "") return text;
  throw new AppError("validation_failed", "An API key belongs to a provider and its address.");
}
