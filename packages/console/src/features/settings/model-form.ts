import type { ModelView } from "../../../../server/src/features/agent/schema.ts";
import type { FieldErrors } from "../forms/useForm.ts";
import { numberOf, parseInteger } from "./number.ts";

export type { ModelView };

/** No model: the initial form if none is selected, or the stored one can't be read. */
export const nothing: ModelView = {
  from: null,
  provider: null,
  id: null,
  baseUrl: null,
  inputPrice: null,
  outputPrice: null,
  cachedInputPrice: null,
  currency: null,
  windowTokens: null,
  keySet: false,
  abilities: null,
};

/** A known place where models are available. */
export interface Preset {
  value: string;
  label: string;
  about: string;
  provider: NonNullable<ModelView["provider"]>;
  /** Null is the provider's own; empty has to be entered. */
  address: string | null;
  key: "needed" | "optional";
  /** An example of a model's name there; empty if it depends on the server. */
  example: string;
}

export const presets: readonly Preset[] = [
  {
    value: "anthropic",
    label: "Anthropic",
    about: "Claude models at api.anthropic.com. Needs a key; you pay for what you use.",
    provider: "anthropic",
    address: null,
    key: "needed",
    example: "claude-sonnet-4-5",
  },
  {
    value: "openai",
    label: "OpenAI",
    about: "GPT models at api.openai.com. Needs a key; you pay for what you use.",
    provider: "openai",
    address: null,
    key: "needed",
    example: "gpt-5",
  },
  {
    value: "openrouter",
    label: "OpenRouter",
    about: "Models from many providers with one key at openrouter.ai. You pay for what you use.",
    provider: "openai-compatible",
    address: "https://openrouter.ai/api/v1",
    key: "optional",
    example: "vendor/model",
  },
  {
    value: "ollama",
    label: "Ollama",
    about:
      "Models on your own machine. No key needed, and nothing leaves it. Ollama must be running.",
    provider: "openai-compatible",
    address: "http://localhost:11434/v1",
    key: "optional",
    example: "qwen3-coder",
  },
  {
    value: "lm-studio",
    label: "LM Studio",
    about: "Models on your own machine. No key needed. Turn on its server first.",
    provider: "openai-compatible",
    address: "http://localhost:1234/v1",
    key: "optional",
    example: "qwen3-coder",
  },
  {
    value: "other",
    label: "Another server",
    about: "Any server with an OpenAI-compatible chat completions API.",
    provider: "openai-compatible",
    address: "",
    key: "optional",
    example: "",
  },
];

export function presetOf(value: string): Preset {
  const preset = presets.find((one) => one.value === value) ?? presets[0];
  if (!preset) throw new Error("There are no presets.");
  return preset;
}

/** The form as typed. */
export interface ModelForm {
  preset: string;
  id: string;
  baseUrl: string;
  apiKey: string;
  inputPrice: string;
  outputPrice: string;
  cachedInputPrice: string;
  currency: string;
  windowTokens: string;
}

const trimmed = (address: string): string => address.trim().replace(/\/+$/, "");

function presetFor({ provider, baseUrl }: ModelView): string {
  if (provider === null) return "anthropic";
  if (provider !== "openai-compatible") return provider;
  const known = presets.find(({ address }) => address && address === trimmed(baseUrl ?? ""));
  return known?.value ?? "other";
}

export function formOf(model: ModelView): ModelForm {
  const text = (value: number | null): string => (value === null ? "" : String(value));
  return {
    preset: presetFor(model),
    id: model.id ?? "",
    baseUrl: model.baseUrl ?? "",
    apiKey: "",
    inputPrice: text(model.inputPrice),
    outputPrice: text(model.outputPrice),
    cachedInputPrice: text(model.cachedInputPrice),
    currency: model.currency ?? "",
    windowTokens: text(model.windowTokens),
  };
}

/**
 * The form after choosing another place: with its address, and without values of the previous one.
 */
export function choosePreset(form: ModelForm, saved: ModelView, value: string): ModelForm {
  const own = formOf(saved);
  if (value === own.preset) return { ...own, apiKey: "" };
  const prices = { inputPrice: "", outputPrice: "", cachedInputPrice: "" };
  const none = { id: "", apiKey: "", windowTokens: "", ...prices };
  return { ...form, ...none, preset: value, baseUrl: presetOf(value).address ?? "" };
}

/** Whether the stored key applies to the form's values. */
export function isKeyKept(form: ModelForm, saved: ModelView): boolean {
  return (
    saved.keySet &&
    saved.provider === presetOf(form.preset).provider &&
    trimmed(saved.baseUrl ?? "") === trimmed(form.baseUrl)
  );
}

/** Whether a key would be sent unencrypted over a network. */
export function isOpenAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === "http:" && !/^(localhost|127\..*|\[::1\]|.*\.localhost)$/.test(hostname);
}

export function missing(form: ModelForm, saved: ModelView): FieldErrors {
  const preset = presetOf(form.preset);
  const number = (name: "inputPrice" | "outputPrice" | "cachedInputPrice") =>
    Number.isNaN(numberOf(form[name])) ? { [name]: "Enter a number, such as 3 or 0.25." } : {};
  return {
    ...(form.id.trim() === "" && { id: "Enter the model’s name." }),
    ...(preset.provider === "openai-compatible" &&
      form.baseUrl.trim() === "" && { baseUrl: "Enter the server’s address." }),
    ...(preset.key === "needed" &&
      form.apiKey.trim() === "" &&
      !isKeyKept(form, saved) && { apiKey: "Enter a key." }),
    ...number("inputPrice"),
    ...number("outputPrice"),
    ...number("cachedInputPrice"),
    ...(Number.isNaN(parseInteger(form.windowTokens)) && {
      windowTokens: "Enter a whole number, such as 32,000.",
    }),
  };
}

/** The request. Without a new key, the stored one stays if it applies. */
export function bodyOf(form: ModelForm, saved: ModelView): Record<string, unknown> {
  const { provider } = presetOf(form.preset);
  const typed = form.apiKey.trim();
  const baseUrl = form.baseUrl.trim();
  return {
    provider,
    id: form.id.trim(),
    baseUrl: baseUrl === "" ? null : baseUrl,
    inputPrice: numberOf(form.inputPrice),
    outputPrice: numberOf(form.outputPrice),
    cachedInputPrice: numberOf(form.cachedInputPrice),
    currency: form.currency.trim() === "" ? null : form.currency.trim(),
    windowTokens: parseInteger(form.windowTokens),
    ...(typed !== "" && { apiKey: typed }),
    ...(typed === "" && !isKeyKept(form, saved) && { apiKey: null }),
  };
}
