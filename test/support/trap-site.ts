import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecure } from "node:https";
import type { AddressInfo, Server, Socket } from "node:net";
import { setDefaultCACertificates, getCACertificates } from "node:tls";
import { makeAuthority } from "./certificates.ts";
import { type Responder, type Expected, pageOf, type TrapOrigins } from "./trap-responses.ts";
import { ownTraps } from "./trap-cases.ts";
import { externalLinkTraps } from "./trap-external-links.ts";

export interface TrapSite extends AsyncDisposable {
  origins: TrapOrigins;
  /** The start of a site that links to every case. */
  start: string;
  /** Name of the case → the address that is asked, and what has to come of it. */
  cases: { name: string; url: string; expected: Expected }[];
  /** Looks names up: all of `.test` are here, but those that are meant not to be. */
  resolve(host: string): Promise<string[]>;
  /** The hosts that may be reached although they are not public. */
  allow(host: string, port: number): boolean;
  /** How often each path was asked, with its method. */
  requests: Map<string, number>;
}

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const html = { "content-type": "text/html; charset=utf-8" };

/** Names that lead somewhere odd, or nowhere. */
function lookup(host: string): Promise<string[]> {
  const name = host.replace(/\.$/, "");
  const fail = (code: string) => Promise.reject(Object.assign(new Error(code), { code }));
  if (name === "gone.test") return fail("ENOTFOUND");
  if (name === "ill.test") return fail("ESERVFAIL");
  if (name === "inside.test") return Promise.resolve(["10.1.2.3"]);
  return name.endsWith(".test") ? Promise.resolve(["127.0.0.1"]) : fail("ENOTFOUND");
}

/** Starts the servers of the trap site, on ports of their own. */
export async function startTrapSite(): Promise<TrapSite> {
  const requestCounts = new Map<string, number>();
  const sockets = new Set<Socket>();
  const servers: Server[] = [];
  const start = async (server: Server): Promise<number> => {
    server.on("connection", (socket: Socket) => {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => sockets.delete(socket));
    });
    server.on("tlsClientError", () => {});
    servers.push(server);
    return listen(server);
  };
  const authority = makeAuthority();
  setDefaultCACertificates([...getCACertificates("default"), authority.cert]);

  const answerers = new Map<string, Responder>();
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    const key = `${request.method} ${request.headers.host?.split(":")[0]}${request.url}`;
    const times = (requestCounts.get(key) ?? 0) + 1;
    requestCounts.set(key, times);
    const path = (request.url ?? "/").split("?")[0] ?? "/";
    const answerer = answerers.get(request.url ?? "/") ?? answerers.get(path);
    if (answerer) answerer(request, response, times);
    else response.writeHead(404, html).end(pageOf("<h1>Nothing is here</h1>"));
  };
  const secure = async (certificate: { cert: string; key: string }) =>
    start(createSecure(certificate, (_request, response) => response.end("safe")));
  const expired = new Date("2020-02-01T00:00:00Z");
  const own = await start(createServer({ keepAlive: true }, respond));
  const places: TrapOrigins = {
    own: `http://own.test:${own}`,
    ownPort: own,
    out: `http://out.test:${own}`,
    outPort: own,
    // A port that is given to nobody who asks for any.
    closed: "http://closed.test:1",
    good: `https://good.test:${await secure(authority.issue("good.test"))}`,
    expired: `https://expired.test:${await secure(authority.issue("expired.test", expired))}`,
    wrong: `https://wrong.test:${await secure(authority.issue("other.test"))}`,
    unsigned: `https://unsigned.test:${await secure(authority.selfSigned("unsigned.test"))}`,
  };

  const cases: TrapSite["cases"] = [];
  const links: string[] = [];
  for (const trap of [...ownTraps(places), ...externalLinkTraps(places)]) {
    for (const [path, answerer] of Object.entries(trap.serve ?? {})) answerers.set(path, answerer);
    const href = trap.href;
    links.push(
      trap.markup ?? `<p><a href="${href.replaceAll('"', "&quot;")}">${trap.name}</a></p>`,
    );
    if (trap.expected) {
      const url = URL.parse(trap.asks ?? href, places.own);
      if (url) [url.hash, url.username, url.password] = ["", "", ""];
      cases.push({ name: trap.name, url: url?.href ?? href, expected: trap.expected });
    }
  }
  answerers.set("/", (_request, response) => {
    response.writeHead(200, html).end(pageOf(`<h1>Traps</h1>${links.join("\n")}`));
  });
  return {
    origins: places,
    start: `${places.own}/`,
    cases,
    resolve: lookup,
    allow: (host) => host.endsWith(".test") && host !== "inside.test",
    requests: requestCounts,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
    },
  };
}
