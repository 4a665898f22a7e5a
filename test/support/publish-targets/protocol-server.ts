import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface ProtocolRequest {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: Buffer;
}

export interface ProtocolAnswer {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** A server that plays another one's API, with its rules. */
export interface ProtocolServer extends AsyncDisposable {
  url: string;
  /** The requests in order, such as `POST /api/v1/sites/x/deploys`. */
  requests: string[];
  /** Called for each request that changes something, before it is answered. */
  onRequest?: (() => void) | undefined;
  /** Answers the next requests with this status instead. */
  refuse(count: number, status: number): void;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Starts a server on a free port of the loopback address. */
export async function startProtocolServer(
  answer: (request: ProtocolRequest) => Promise<ProtocolAnswer> | ProtocolAnswer,
): Promise<ProtocolServer> {
  const requests: string[] = [];
  const hooks: { onRequest?: (() => void) | undefined } = {};
  let refusing = { count: 0, status: 500 };
  const server = createServer(async (request, response) => {
    const path = request.url ?? "/";
    const method = request.method ?? "GET";
    requests.push(`${method} ${path}`);
    hooks.onRequest?.();
    // A client that was killed gets no answer.
    const body = await bodyOf(request).catch(() => null);
    if (body === null) return;
    let result: ProtocolAnswer;
    if (refusing.count > 0) {
      refusing = { ...refusing, count: refusing.count - 1 };
      result = { status: refusing.status, body: {} };
    } else result = await answer({ method, path, headers: request.headers, body });
    const { status = 200, headers = {} } = result;
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(result.body ?? null));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    get onRequest() {
      return hooks.onRequest;
    },
    set onRequest(listener) {
      hooks.onRequest = listener;
    },
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    refuse(count, status) {
      refusing = { count, status };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await once(server.close(), "close");
    },
  };
}
