import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { type AddressInfo, connect as dial, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { guardedConnect, OutboundError } from "../system/guard.ts";
import type { Resolve } from "../system/resolve.ts";

export interface ProxyOptions {
  /** Of the checked site. */
  origin: string;
  /** Where the site is reached if not by its name. */
  connect: { host: string; port: number } | null;
  /** Hosts that may be reached although they aren't public. The site itself always may. */
  allow?: ((host: string, port: number) => boolean) | undefined;
  /** Time limit for connecting, and for silence, in ms. */
  phaseMs: number;
  /** Maximum bytes between two calls of `start`. */
  maxBytes: number;
  /** By default, the name servers. */
  resolve?: Resolve;
}

/** A tab's only way to the network. */
export interface Proxy {
  port: number;
  /** Call for each page: resets the counters. */
  start(): void;
  /** Whether requests since `start` exceeded the limit; then nothing is let through. */
  isFull(): boolean;
  /** Whether a refused host was requested since `start`. */
  isRefused(url: string): boolean;
  close(): Promise<void>;
}

const maxConnections = 128;
/** Hop-by-hop headers (RFC 9110, 7.6.1). */
const hopHeaders = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

function endToEnd(raw: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const [name = "", value = ""] = [raw[i], raw[i + 1]];
    if (!hopHeaders.has(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}

interface Target {
  host: string;
  port: number;
}

function targetOf(url: URL): Target {
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  return { host: url.hostname.replace(/^\[|\]$/g, "").toLowerCase(), port };
}

const nameOf = ({ host, port }: Target): string => `${host}:${port}`;

function dialTo(host: string, port: number, ms: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = dial({ host, port });
  const late = setTimeout(() => socket.destroy(new Error("connecting took too long")), ms);
  socket.once("error", reject);
  socket.once("close", () => clearTimeout(late));
  socket.once("connect", () => {
    clearTimeout(late);
    socket.off("error", reject);
    resolve(socket);
  });
  return promise;
}

/**
 * Opens a forward proxy on loopback through which a browser reaches the checked site, and others
 * only through the guard: `CONNECT` (RFC 9110, 9.3.6) and requests in absolute form (RFC 9112,
 * 3.2.2). Refused and failed requests are closed without a response, so that no page mistakes ours
 * for the server's.
 */
// oxlint-disable-next-line max-lines-per-function -- one closure over one state, in short parts
export async function openProxy(options: ProxyOptions): Promise<Proxy> {
  const own = targetOf(new URL(options.origin));
  const open = new Set<Duplex>();
  const refused = new Set<string>();
  let bytes = 0;

  const allow = (host: string, port: number): boolean =>
    nameOf({ host, port }) === nameOf(own) || (options.allow?.(host, port) ?? false);
  const isFull = () => bytes > options.maxBytes;
  const count = (socket: Duplex) => {
    socket.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (isFull()) for (const other of open) other.destroy();
    });
  };
  const keep = <S extends Duplex>(socket: S): S => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => socket.destroy());
    return socket;
  };

  const reach = async (target: Target): Promise<Socket> => {
    if (isFull() || open.size > maxConnections * 2) throw new Error("too much is asked for");
    try {
      const { connect, phaseMs } = options;
      const socket =
        connect && nameOf(target) === nameOf(own)
          ? await dialTo(connect.host, connect.port, phaseMs)
          : await guardedConnect(target.host, target.port, {
              allow,
              connectMs: phaseMs,
              ...(options.resolve && { resolve: options.resolve }),
            });
      socket.setNoDelay(true);
      socket.setTimeout(phaseMs * 2, () => socket.destroy());
      count(socket);
      return keep(socket);
    } catch (error) {
      if (error instanceof OutboundError && error.phase === "refused") refused.add(nameOf(target));
      throw error;
    }
  };

  const agent = new Agent({ keepAlive: true, maxSockets: 32, timeout: options.phaseMs * 2 });
  agent.createConnection = (to, done) => {
    const upstreamResponse = async () => {
      try {
        done?.(null, await reach({ host: String(to.host), port: Number(to.port) }));
      } catch (error) {
        done?.(error as Error, undefined as never);
      }
    };
    void upstreamResponse();
    return undefined;
  };

  const forward = (incoming: IncomingMessage, upstreamResponse: ServerResponse): void => {
    const url = URL.parse(incoming.url ?? "");
    const drop = (): void => {
      incoming.socket.destroy();
    };
    try {
      if (url?.protocol !== "http:") throw new Error("not for us");
      const upstreamRequest = request({
        ...targetOf(url),
        agent,
        method: incoming.method ?? "GET",
        path: `${url.pathname}${url.search}`,
        headers: endToEnd(incoming.rawHeaders),
        // As lenient with headers as browsers are.
        insecureHTTPParser: true,
      });
      upstreamRequest.on("error", drop);
      upstreamRequest.on("response", (response) => {
        const headers = endToEnd(response.rawHeaders);
        try {
          upstreamResponse.writeHead(response.statusCode ?? 502, response.statusMessage, headers);
        } catch {
          upstreamRequest.destroy();
          drop();
          return;
        }
        response.on("error", drop);
        response.pipe(upstreamResponse);
      });
      upstreamResponse.on("close", () => upstreamRequest.destroy());
      incoming.pipe(upstreamRequest);
    } catch {
      drop();
    }
  };

  const tunnel = async (incoming: IncomingMessage, client: Duplex, head: Buffer): Promise<void> => {
    keep(client);
    const url = URL.parse(`http://${incoming.url ?? ""}`);
    // The port is always included; `URL` omits http's default.
    const port = /:(\d{1,5})$/.exec(incoming.url ?? "")?.[1];
    try {
      if (!url || port === undefined) throw new Error("no target");
      const socket = await reach({ ...targetOf(url), port: Number(port) });
      client.on("close", () => socket.destroy());
      socket.on("close", () => client.destroy());
      if (client.destroyed) socket.destroy();
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      socket.write(head);
      client.pipe(socket).pipe(client);
    } catch {
      client.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
    }
  };

  const server = createServer({ insecureHTTPParser: true, maxHeaderSize: 64 * 1024 }, forward);
  server.on("connect", (incoming, client, head) => void tunnel(incoming, client, head));
  server.on("upgrade", (_incoming, client) => client.destroy());
  server.on("clientError", (_error, client) => client.destroy());
  server.maxConnections = maxConnections;
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(0, "127.0.0.1", resolve);
  await listening;

  return {
    port: (server.address() as AddressInfo).port,
    start() {
      bytes = 0;
      refused.clear();
    },
    isFull,
    isRefused(url) {
      const parsed = URL.parse(url);
      return parsed !== null && refused.has(nameOf(targetOf(parsed)));
    },
    async close() {
      const { promise, resolve: closed } = Promise.withResolvers<void>();
      server.close(() => closed());
      server.closeAllConnections();
      for (const socket of open) socket.destroy();
      agent.destroy();
      await promise;
    },
  };
}
