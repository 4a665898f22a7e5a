import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropicEvents } from "./model-server/anthropic.ts";
import type { Answer, ScriptedUsage, StreamEvent, ToolCall } from "./model-server/answer.ts";
import { openaiEvents } from "./model-server/openai.ts";
import { chatEvents } from "./model-server/openai-compatible.ts";

/*
 * A model provider that follows a script, over the real wire formats: Anthropic Messages
 * (/v1/messages), OpenAI Responses (/v1/responses) and chat completions (/v1/chat/completions), all
 * as event streams. The real client talks to it through a real socket.
 */

export type Protocol = "anthropic" | "openai" | "openai-compatible";

export interface SeenRequest {
  protocol: Protocol;
  headers: Record<string, string | string[] | undefined>;
  /** The raw body: everything that the model would see is in it. */
  raw: string;
  body: Record<string, unknown>;
  /** Names of the available tools. */
  tools: string[];
  /** Number of the request, from 0; failed attempts count. */
  index: number;
}

export type ModelStep =
  | {
      text?: string;
      calls?: ToolCall[];
      /** The response was cut off by its length limit. */
      cut?: boolean;
      usage?: ScriptedUsage;
    }
  /** Declines with this text, in the provider's format. */
  | { refusal: string; text?: string; usage?: ScriptedUsage }
  /** The provider's filter ends the response after this text. */
  | { filtered: string; usage?: ScriptedUsage }
  | { status: number; headers?: Record<string, string>; message?: string }
  /** 200, but not an event stream. */
  | { garbage: string }
  /**
   * Starts a response and breaks it: the connection is reset, or closed as if the response were
   * complete.
   */
  | { half: "reset" | "end"; text: string; calls?: ToolCall[] }
  /** Keeps the connection open without sending anything, or nothing after the given text. */
  | { hang: true; text?: string };

export type Script = readonly (
  | ModelStep
  | ((request: SeenRequest) => ModelStep | Promise<ModelStep>)
)[];

export interface ModelServer {
  /** The base address for the providers' clients, ending in /v1. */
  readonly url: string;
  readonly requests: SeenRequest[];
  /** Steps not yet used. */
  remaining(): number;
  /** How many clients have disconnected before their response was complete. */
  left(): number;
  close(): Promise<void>;
}

const paths: Record<string, Protocol> = {
  "/v1/messages": "anthropic",
  "/v1/responses": "openai",
  "/v1/chat/completions": "openai-compatible",
};

const eventsOf: Record<Protocol, (reply: Answer) => StreamEvent[]> = {
  anthropic: anthropicEvents,
  openai: openaiEvents,
  "openai-compatible": chatEvents,
};

function lineOf({ event, data }: StreamEvent): string {
  const name = event === undefined ? "" : `event: ${event}\n`;
  return `${name}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

function answerOf(
  step: {
    text?: string;
    calls?: ToolCall[];
    cut?: boolean;
    refusal?: string;
    filtered?: string;
    usage?: ScriptedUsage;
  },
  index: number,
): Answer {
  const calls = step.calls ?? [];
  const finish = calls.length > 0 ? "tools" : "stop";
  return {
    id: `${index}`,
    text: step.filtered ?? step.text ?? "",
    calls,
    refusal: step.refusal ?? null,
    finish: step.filtered !== undefined ? "filter" : step.cut === true ? "length" : finish,
    usage: step.usage ?? { input: 100, output: 20 },
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
  const reply = answerOf(step, request.index);
  const events = eventsOf[request.protocol](reply);
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
 * Starts the server on a free port of the loopback address. Each request uses one step; after the
 * last one, the model says that it is done.
 */
export async function startModelServer(script: Script): Promise<ModelServer> {
  const steps = [...script];
  const requests: SeenRequest[] = [];
  let left = 0;
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
      response.once("close", () => {
        if (!response.writableEnded) left += 1;
      });
      const step = steps.shift() ?? { text: "Summary: Done.\nCommit: Done" };
      play(typeof step === "function" ? await step(request) : step, request, response);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    remaining: () => steps.length,
    left: () => left,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
