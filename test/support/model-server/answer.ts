/** A call of a tool as a model asks for it. */
export interface ToolCall {
  name: string;
  input: unknown;
}

/** What a step took. */
export interface ScriptedUsage {
  /** All that was read, with what came from the cache. */
  input: number;
  output: number;
  cached?: number;
}

/** One whole answer of the model, before it is put into a provider's form. */
export interface Answer {
  id: string;
  text: string;
  calls: readonly ToolCall[];
  /** Words with which the model declines; they come as each provider sends them. */
  refusal: string | null;
  /** `filter`: the provider itself stopped the answer. */
  finish: "stop" | "tools" | "length" | "filter";
  usage: ScriptedUsage;
}

export interface StreamEvent {
  event?: string;
  data: unknown;
}

/** A text in pieces as a stream brings it: a few characters each, longer ones for a long text. */
export function pieces(text: string): string[] {
  const size = Math.max(12, Math.ceil(text.length / 200));
  return text.match(new RegExp(`[\\s\\S]{1,${size}}`, "gu")) ?? [];
}
