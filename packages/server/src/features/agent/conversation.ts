import type { ModelMessage, ToolResultPart, UserContent } from "ai";

/*
 * Words used here:
 * entry  one thing said: by the owner, by the model, by its tools, or by the loop itself (a note)
 * step   an answer of the model with what its tools gave
 */

/** An image that was shown. If its bytes are gone, only its name is left. */
export interface ConversationImage {
  name: string;
  mediaType: string;
  bytes: Uint8Array | null;
}

export interface ToolCall {
  id: string;
  name: string;
  input: unknown;
}

export interface ToolCallResult {
  id: string;
  name: string;
  ok: boolean;
  text: string;
}

export type Entry =
  /** `userText` is what the owner typed, `text` what the model gets. */
  | { kind: "owner"; userText: string; text: string; images: ConversationImage[] }
  | { kind: "note"; text: string }
  /** `parts` are the provider's own; null once they are removed or shortened. */
  | { kind: "answer"; text: string; calls: ToolCall[]; parts: ModelMessage[] | null }
  | { kind: "results"; results: ToolCallResult[]; images: ConversationImage[] };

type Parts = Exclude<UserContent, string>;

/** Images go into a separate message, because not every provider accepts them in a tool result. */
function imageParts(images: readonly ConversationImage[]): Parts {
  return images.map(({ mediaType, bytes }) =>
    bytes === null
      ? // Without the name, which would be outside the markers; the message or result contains it.
        { type: "text", text: "(An image was shown here. It is no longer available.)" }
      : { type: "file", mediaType, data: bytes },
  );
}

function inputObject(input: unknown): Record<string, unknown> {
  return typeof input === "object" && input !== null && !Array.isArray(input)
    ? (input as Record<string, unknown>)
    : { input };
}

function answerMessages(entry: Extract<Entry, { kind: "answer" }>): ModelMessage[] {
  if (entry.parts !== null) return entry.parts;
  const calls = entry.calls.map(({ id, name, input }) => ({
    type: "tool-call" as const,
    toolCallId: id,
    toolName: name,
    input: inputObject(input),
  }));
  if (entry.text.trim() === "" && calls.length === 0) return [];
  const text = entry.text.trim() === "" ? [] : [{ type: "text" as const, text: entry.text }];
  return [{ role: "assistant", content: [...text, ...calls] }];
}

function resultPart({ id, name, ok, text }: ToolCallResult): ToolResultPart {
  return {
    type: "tool-result",
    toolCallId: id,
    toolName: name,
    output: ok ? { type: "text", value: text } : { type: "error-text", value: text },
  };
}

function messagesOf(entry: Entry): ModelMessage[] {
  if (entry.kind === "note") return [{ role: "user", content: entry.text }];
  if (entry.kind === "answer") return answerMessages(entry);
  const images = imageParts(entry.images);
  if (entry.kind === "owner") {
    return [{ role: "user", content: [{ type: "text", text: entry.text }, ...images] }];
  }
  const shown: ModelMessage[] = images.length === 0 ? [] : [{ role: "user", content: images }];
  return [{ role: "tool", content: entry.results.map(resultPart) }, ...shown];
}

/**
 * The conversation as messages for a model: first the briefing, then the entries. The same entries
 * always produce the same messages, so that the provider's cache applies.
 */
export function modelMessages(briefing: string, entries: readonly Entry[]): ModelMessage[] {
  return [{ role: "user", content: briefing }, ...entries.flatMap(messagesOf)];
}

/** The result of a call that was never executed. */
export const notExecuted = "Not carried out: the run ended here.";
