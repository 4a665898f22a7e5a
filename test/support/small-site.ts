import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The content of a path: a page as text, or anything with a type or a status. */
export type Content =
  | string
  | { type?: string; status?: number; headers?: Record<string, string>; body?: string | Buffer };

export interface SmallSite extends AsyncDisposable {
  origin: string;
  /** By path and query; may be changed while it runs. */
  content: Map<string, Content>;
  /** The requests, in order, such as `GET /about`. */
  requests: string[];
  /** Responds to paths without content. */
  missing: Content;
}

/** A small site with ETags on a free port. */
export async function startSmallSite(content: Record<string, Content>): Promise<SmallSite> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const url = request.url ?? "/";
    requests.push(`${request.method} ${url}`);
    const found = site.content.get(url);
    const read = found ?? site.missing;
    const {
      type = "text/html; charset=utf-8",
      status,
      headers,
      body = "",
    } = typeof read === "string" ? { body: read } : read;
    const etag = `"${createHash("sha256").update(body).digest("hex").slice(0, 16)}"`;
    if (request.headers["if-none-match"] === etag && found) response.writeHead(304).end();
    else {
      const code = status ?? (found === undefined && read === "" ? 404 : 200);
      response.writeHead(code, { "content-type": type, etag, ...headers }).end(body);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const site: SmallSite = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    content: new Map(Object.entries(content)),
    requests,
    missing: {
      status: 404,
      body: "<!doctype html><title>Not found</title><main>Nothing here</main>",
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return site;
}
