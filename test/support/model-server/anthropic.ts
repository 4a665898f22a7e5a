import { type Answer, pieces, type StreamEvent } from "./answer.ts";

/** Anthropic Messages (POST /v1/messages). A refusal has no form of its own: a text, and its stop reason. */
export function anthropicEvents(response: Answer): StreamEvent[] {
  const typed = (type: string, rest: object): StreamEvent => ({
    event: type,
    data: { type, ...rest },
  });
  const block = (index: number, start: object, deltas: object[]) => [
    typed("content_block_start", { index, content_block: start }),
    ...deltas.map((delta) => typed("content_block_delta", { index, delta })),
    typed("content_block_stop", { index }),
  ];
  const text = response.text + (response.refusal ?? "");
  const offset = text === "" ? 0 : 1;
  const refused = response.refusal !== null || response.finish === "filter";
  const stops = { stop: "end_turn", tools: "tool_use", length: "max_tokens", filter: "refusal" };
  const stop = refused ? "refusal" : stops[response.finish];
  const cached = response.usage.cached ?? 0;
  return [
    typed("message_start", {
      message: {
        id: response.id,
        type: "message",
        role: "assistant",
        model: "scripted",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        // Anthropic counts what it read from its cache apart.
        usage: {
          input_tokens: response.usage.input - cached,
          cache_read_input_tokens: cached,
          cache_creation_input_tokens: 0,
          output_tokens: 0,
        },
      },
    }),
    ...(text === ""
      ? []
      : block(
          0,
          { type: "text", text: "" },
          pieces(text).map((piece) => ({ type: "text_delta", text: piece })),
        )),
    ...response.calls.flatMap(({ name, input }, i) =>
      block(
        offset + i,
        { type: "tool_use", id: `toolu_${response.id}_${i}`, name, input: {} },
        pieces(JSON.stringify(input)).map((json) => ({
          type: "input_json_delta",
          partial_json: json,
        })),
      ),
    ),
    typed("message_delta", {
      delta: { stop_reason: stop, stop_sequence: null },
      usage: { output_tokens: response.usage.output },
    }),
    typed("message_stop", {}),
  ];
}
