import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Fetcher, makeFetcher } from "../../packages/qa/src/crawl/fetcher.ts";
import { defaultLimits } from "../../packages/server/src/platform/config.ts";

/** A response: a text as HTML, or all of its parts. */
export type HttpSiteResponse =
  | string
  | { status?: number; type?: string; body?: string | Buffer; headers?: Record<string, string> };

export interface HttpSiteRequest {
  method: string;
  /** Path and query. */
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}

export interface HttpSite extends AsyncDisposable {
  origin: string;
  /** All requests, in order. */
  requests: HttpSiteRequest[];
  /** Sends it a request. */
  fetcher: Fetcher;
  close(): Promise<void>;
}

function send(response: ServerResponse, reply: HttpSiteResponse): void {
  const {
    status = 200,
    type,
    body = "",
    headers = {},
  } = typeof reply === "string" ? { body: reply } : reply;
  response.writeHead(status, { "content-type": type ?? "text/html; charset=utf-8", ...headers });
  response.end(body);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  return body;
}

/**
 * Serves the result of `answer` for each request on a free port; undefined is 404. `ORIGIN` in
 * texts is replaced with the server's origin.
 */
export async function serveResponses(
  reply: (
    request: HttpSiteRequest,
  ) => HttpSiteResponse | undefined | Promise<HttpSiteResponse | undefined>,
): Promise<HttpSite> {
  const requests: HttpSiteRequest[] = [];
  let origin = "";
  const fill = (text: string) => text.replaceAll("ORIGIN", origin);
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = request;
    const question = { method, url, headers, body: await bodyOf(request) };
    requests.push(question);
    const answer = (await reply(question)) ?? { status: 404, body: "<p>Not found</p>" };
    if (typeof answer === "string") return send(response, fill(answer));
    send(
      response,
      typeof answer.body === "string" ? { ...answer, body: fill(answer.body) } : answer,
    );
  }
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { signal } = new AbortController();
  const fetcher = makeFetcher({ origin, connect: null, limits: defaultLimits.qa, signal });
  const close = async () => {
    await fetcher.close();
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  };
  return { origin, requests, fetcher, close, [Symbol.asyncDispose]: close };
}

/** A server for files by their paths. */
export function serveFiles(files: Readonly<Record<string, HttpSiteResponse>>): Promise<HttpSite> {
  return serveResponses(({ url }) => (Object.hasOwn(files, url) ? files[url] : undefined));
}
