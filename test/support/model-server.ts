import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/*
 * A model provider that follows a script, over the real wire formats: Anthropic Messages
 * (/v1/messages), OpenAI Responses (/v1/responses) and chat completions (/v1/chat/completions), all
 * as event streams. The real client talks to it through a real socket.
 */

export type Protocol = "anthropic" | "openai" | "openai-compatible";

export interface SeenRequest {
  protocol: Protocol;
  headers: Record<string, string | string[] | undefined>;
  /** The body as it came: whatever the model would have seen is somewhere in it. */
  raw: string;
  body: Record<string, unknown>;
  /** Names of the tools on offer. */
  tools: string[];
  /** Number of the request, from 0; failed attempts count. */
  index: number;
}

export interface ToolCall {
  name: string;
  input: unknown;
}

export type ModelStep =
  | {
      text?: string;
      calls?: ToolCall[];
      /** The answer was cut off by its length. */
      cut?: boolean;
      usage?: { input: number; output: number };
    }
  | { status: number; headers?: Record<string, string>; message?: string }
  /** 200, but no stream of events. */
  | { garbage: string }
  /** Begins to answer and breaks: the connection is reset, or ends as if all were said. */
  | { half: "reset" | "end"; text: string; calls?: ToolCall[] }
  /** Says nothing and keeps the connection; with a text, after that text. */
  | { hang: true; text?: string };

export type Script = readonly (ModelStep | ((request: SeenRequest) => ModelStep))[];

export interface ModelServer {
  /** Base address as the provider clients take it, ending in /v1. */
  readonly url: string;
  readonly requests: SeenRequest[];
  /** Steps not yet used. */
  remaining(): number;
  close(): Promise<void>;
}

interface Answer {
  text: string;
  calls: ToolCall[];
  finish: "stop" | "tools" | "length";
  usage: { input: number; output: number };
  id: string;
}

type StreamEvent = { event?: string; data: unknown };

const paths: Record<string, Protocol> = {
  "/v1/messages": "anthropic",
  "/v1/responses": "openai",
  "/v1/chat/completions": "openai-compatible",
};

/** A text in pieces as a stream brings it: a few characters each, longer ones for a long text. */
function pieces(text: string): string[] {
  const size = Math.max(12, Math.ceil(text.length / 200));
  return text.match(new RegExp(`[\\s\\S]{1,${size}}`, "gu")) ?? [];
}

function anthropicEvents(answer: Answer): StreamEvent[] {
  const typed = (type: string, rest: object): StreamEvent => ({
    event: type,
    data: { type, ...rest },
  });
  const block = (index: number, start: object, deltas: object[]) => [
    typed("content_block_start", { index, content_block: start }),
    ...deltas.map((delta) => typed("content_block_delta", { index, delta })),
    typed("content_block_stop", { index }),
  ];
  const offset = answer.text === "" ? 0 : 1;
  const stop = { stop: "end_turn", tools: "tool_use", length: "max_tokens" }[answer.finish];
  return [
    typed("message_start", {
      message: {
        id: answer.id,
        type: "message",
        role: "assistant",
        model: "scripted",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: answer.usage.input, output_tokens: 0 },
      },
    }),
    ...(answer.text === ""
      ? []
      : block(
          0,
          { type: "text", text: "" },
          pieces(answer.text).map((text) => ({ type: "text_delta", text })),
        )),
    ...answer.calls.flatMap(({ name, input }, i) =>
      block(
        offset + i,
        { type: "tool_use", id: `toolu_${answer.id}_${i}`, name, input: {} },
        pieces(JSON.stringify(input)).map((json) => ({
          type: "input_json_delta",
          partial_json: json,
        })),
      ),
    ),
    typed("message_delta", {
      delta: { stop_reason: stop, stop_sequence: null },
      usage: { output_tokens: answer.usage.output },
    }),
    typed("message_stop", {}),
  ];
}

function responsesMessage(answer: Answer): StreamEvent[] {
  if (answer.text === "") return [];
  const item = { id: `msg_${answer.id}`, type: "message", role: "assistant" };
  const at = { item_id: item.id, output_index: 0, content_index: 0 };
  return [
    {
      data: { type: "response.output_item.added", output_index: 0, item: { ...item, content: [] } },
    },
    ...pieces(answer.text).map((delta) => ({
      data: { type: "response.output_text.delta", ...at, delta },
    })),
    {
      data: {
        type: "response.output_item.done",
        output_index: 0,
        item: { ...item, content: [{ type: "output_text", text: answer.text, annotations: [] }] },
      },
    },
  ];
}

function responsesCall(answer: Answer, { name, input }: ToolCall, i: number): StreamEvent[] {
  const index = (answer.text === "" ? 0 : 1) + i;
  const id = `fc_${answer.id}_${i}`;
  const item = { id, type: "function_call", call_id: `call_${answer.id}_${i}`, name };
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

function responsesEvents(answer: Answer): StreamEvent[] {
  const response = { id: `resp_${answer.id}`, created_at: 1_700_000_000, model: "scripted" };
  const cut = answer.finish === "length";
  return [
    { data: { type: "response.created", response } },
    ...responsesMessage(answer),
    ...answer.calls.flatMap((call, i) => responsesCall(answer, call, i)),
    {
      data: {
        type: cut ? "response.incomplete" : "response.completed",
        response: {
          ...response,
          incomplete_details: cut ? { reason: "max_output_tokens" } : null,
          usage: { input_tokens: answer.usage.input, output_tokens: answer.usage.output },
        },
      },
    },
  ];
}

function chatEvents(answer: Answer): StreamEvent[] {
  const chunk = (delta: object, finish: string | null = null, usage?: object): StreamEvent => ({
    data: {
      id: `chatcmpl_${answer.id}`,
      object: "chat.completion.chunk",
      created: 1_700_000_000,
      model: "scripted",
      choices: [{ index: 0, delta, finish_reason: finish }],
      ...(usage === undefined ? {} : { usage }),
    },
  });
  const { input, output } = answer.usage;
  return [
    chunk({ role: "assistant", content: "" }),
    ...pieces(answer.text).map((content) => chunk({ content })),
    ...answer.calls.map(({ name, input: args }, index) =>
      chunk({
        tool_calls: [
          {
            index,
            id: `call_${answer.id}_${index}`,
            type: "function",
            function: { name, arguments: JSON.stringify(args) },
          },
        ],
      }),
    ),
    chunk({}, { stop: "stop", tools: "tool_calls", length: "length" }[answer.finish], {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
    }),
    { data: "[DONE]" },
  ];
}

const eventsOf: Record<Protocol, (answer: Answer) => StreamEvent[]> = {
  anthropic: anthropicEvents,
  openai: responsesEvents,
  "openai-compatible": chatEvents,
};

function lineOf({ event, data }: StreamEvent): string {
  const name = event === undefined ? "" : `event: ${event}\n`;
  return `${name}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

function answerOf(
  step: { text?: string; calls?: ToolCall[]; cut?: boolean },
  index: number,
): Answer {
  const calls = step.calls ?? [];
  return {
    id: `${index}`,
    text: step.text ?? "",
    calls,
    finish: step.cut === true ? "length" : calls.length > 0 ? "tools" : "stop",
    usage: { input: 100, output: 20 },
  };
}

function errorBody(protocol: Protocol, message: string): string {
  const error = { type: "error", message };
  return JSON.stringify(protocol === "anthropic" ? { type: "error", error } : { error });
}

function play(step: ModelStep, request: SeenRequest, response: ServerResponse): void {
  if ("status" in step) {
    response.writeHead(step.status, { "content-type": "application/json", ...step.headers });
    response.end(errorBody(request.protocol, step.message ?? `scripted ${step.status}`));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  if ("garbage" in step) {
    response.end(step.garbage);
    return;
  }
  if ("hang" in step) {
    const events = eventsOf[request.protocol](answerOf({ text: step.text ?? "x" }, request.index));
    if (step.text === undefined) response.flushHeaders();
    else response.write(events.slice(0, 3).map(lineOf).join(""));
    return;
  }
  const answer = answerOf(step, request.index);
  if ("usage" in step && step.usage !== undefined) answer.usage = step.usage;
  const events = eventsOf[request.protocol](answer);
  if (!("half" in step)) {
    response.end(events.map(lineOf).join(""));
    return;
  }
  // Neither the last content block's end nor the message's: the step is not complete.
  const half = events.slice(0, Math.max(2, Math.floor(events.length / 2))).map(lineOf);
  response.write(half.join(""), () => {
    if (step.half === "reset") response.socket?.resetAndDestroy();
    else response.end();
  });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function toolNames(body: Record<string, unknown>): string[] {
  const tools = (body.tools ?? []) as { name?: string; function?: { name: string } }[];
  return tools.map((tool) => tool.name ?? tool.function?.name ?? "");
}

/**
 * Starts the server on a free port of the loopback. Each request uses one step; when the script is
 * used up the model says that it is done.
 */
export async function startModelServer(script: Script): Promise<ModelServer> {
  const steps = [...script];
  const requests: SeenRequest[] = [];
  const server = createServer((incoming, response) => {
    void (async () => {
      const protocol = paths[incoming.url ?? ""];
      const raw = await bodyOf(incoming);
      if (protocol === undefined || incoming.method !== "POST") {
        response.writeHead(404).end();
        return;
      }
      const body = JSON.parse(raw) as Record<string, unknown>;
      const request: SeenRequest = {
        protocol,
        headers: incoming.headers,
        raw,
        body,
        tools: toolNames(body),
        index: requests.length,
      };
      requests.push(request);
      const step = steps.shift() ?? { text: "Summary: Done.\nCommit: Done" };
      play(typeof step === "function" ? step(request) : step, request, response);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    remaining: () => steps.length,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
