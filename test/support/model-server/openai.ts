import { type Answer, pieces, type StreamEvent, type ToolCall } from "./answer.ts";

function responsesMessage(reply: Answer): StreamEvent[] {
  const { text, refusal } = reply;
  if (text === "" && refusal === null) return [];
  const item = { id: `msg_${reply.id}`, type: "message", role: "assistant" };
  const at = { item_id: item.id, output_index: 0, content_index: 0 };
  const content = [
    ...(text === "" ? [] : [{ type: "output_text", text, annotations: [] }]),
    ...(refusal === null ? [] : [{ type: "refusal", refusal }]),
  ];
  return [
    {
      data: { type: "response.output_item.added", output_index: 0, item: { ...item, content: [] } },
    },
    ...pieces(text).map((delta) => ({
      data: { type: "response.output_text.delta", ...at, delta },
    })),
    ...pieces(refusal ?? "").map((delta) => ({
      data: { type: "response.refusal.delta", ...at, delta },
    })),
    ...(refusal === null ? [] : [{ data: { type: "response.refusal.done", ...at, refusal } }]),
    { data: { type: "response.output_item.done", output_index: 0, item: { ...item, content } } },
  ];
}

function responsesCall(reply: Answer, { name, input }: ToolCall, i: number): StreamEvent[] {
  const index = (reply.text === "" && reply.refusal === null ? 0 : 1) + i;
  const id = `fc_${reply.id}_${i}`;
  const item = { id, type: "function_call", call_id: `call_${reply.id}_${i}`, name };
  const json = JSON.stringify(input);
  return [
    {
      data: {
        type: "response.output_item.added",
        output_index: index,
        item: { ...item, arguments: "", status: "in_progress" },
      },
    },
    ...pieces(json).map((delta) => ({
      data: {
        type: "response.function_call_arguments.delta",
        item_id: id,
        output_index: index,
        delta,
      },
    })),
    {
      data: {
        type: "response.output_item.done",
        output_index: index,
        item: { ...item, arguments: json, status: "completed" },
      },
    },
  ];
}

/** OpenAI Responses (POST /v1/responses). */
export function openaiEvents(reply: Answer): StreamEvent[] {
  const response = { id: `resp_${reply.id}`, created_at: 1_700_000_000, model: "scripted" };
  const { input, output, cached = 0 } = reply.usage;
  const reason = { length: "max_output_tokens", filter: "content_filter" };
  const incomplete =
    reply.finish === "length" || reply.finish === "filter" ? reason[reply.finish] : null;
  return [
    { data: { type: "response.created", response } },
    ...responsesMessage(reply),
    ...reply.calls.flatMap((call, i) => responsesCall(reply, call, i)),
    {
      data: {
        type: incomplete === null ? "response.completed" : "response.incomplete",
        response: {
          ...response,
          incomplete_details: incomplete === null ? null : { reason: incomplete },
          usage: {
            input_tokens: input,
            input_tokens_details: { cached_tokens: cached },
            output_tokens: output,
          },
        },
      },
    },
  ];
}
