import { type Answer, pieces, type StreamEvent } from "./answer.ts";

/** Chat completions (POST /v1/chat/completions), as compatible servers speak them. */
export function chatEvents(response: Answer): StreamEvent[] {
  const chunk = (delta: object, finish: string | null = null, usage?: object): StreamEvent => ({
    data: {
      id: `chatcmpl_${response.id}`,
      object: "chat.completion.chunk",
      created: 1_700_000_000,
      model: "scripted",
      choices: [{ index: 0, delta, finish_reason: finish }],
      ...(usage === undefined ? {} : { usage }),
    },
  });
  const { input, output, cached } = response.usage;
  const finish = {
    stop: "stop",
    tools: "tool_calls",
    length: "length",
    filter: "content_filter",
  }[response.finish];
  return [
    chunk({ role: "assistant", content: "" }),
    ...pieces(response.text).map((content) => chunk({ content })),
    ...pieces(response.refusal ?? "").map((refusal) => chunk({ refusal })),
    ...response.calls.map(({ name, input: args }, index) =>
      chunk({
        tool_calls: [
          {
            index,
            id: `call_${response.id}_${index}`,
            type: "function",
            function: { name, arguments: JSON.stringify(args) },
          },
        ],
      }),
    ),
    chunk({}, finish, {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
    }),
    { data: "[DONE]" },
  ];
}
