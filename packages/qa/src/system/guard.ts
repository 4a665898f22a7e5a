import { connect, type LookupFunction, type Socket, type TcpNetConnectOpts } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { Dispatcher } from "undici";
import Agent from "undici/lib/dispatcher/agent.js";
import { isBadPort, isPublicAddress, literalAddress } from "./address.ts";
import { makeResolve, type Resolve, resolveBySystem } from "./resolve.ts";

export type OutboundPhase = "refused" | "dns" | "connect" | "tls";

/** Why a connection failed. */
export class OutboundError extends Error {
  readonly phase: OutboundPhase;
  readonly code: string;
  constructor(phase: OutboundPhase, code: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "OutboundError";
    this.phase = phase;
    this.code = code;
  }
}

export interface ConnectOptions {
  /** Hosts that may be reached although they aren't public. Called for each connection. */
  allow: (host: string, port: number) => boolean;
  /** The maximum for name resolution, connecting, and TLS, in ms each. */
  connectMs: number;
  /** Default: the name servers; for allowed hosts, the system. */
  resolve?: Resolve;
  /** One resolver for many connections, because each resolver has its own sockets. */
  nameServers?: Resolve;
}

export interface GuardOptions extends ConnectOptions {
  /** Open connections per origin. */
  connections: number;
  /**
   * Where to connect instead of resolving the host; it counts as allowed. Null: resolve the host.
   */
  route?: (host: string, port: number) => { host: string; port: number } | null;
}

const codeOf = (error: unknown, fallback: string): string =>
  String((error as { code?: unknown } | null)?.code ?? fallback);

/** The number of steps in which a time limit is counted. */
const steps = 10;

/** Counts in small steps: if this process itself is busy, only one step counts. */
function timeLimit<T>(phase: OutboundPhase, ms: number, work: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  let timer: NodeJS.Timeout | undefined;
  const wait = (left: number) => {
    timer = setTimeout(() => {
      if (left > 1) wait(left - 1);
      else reject(new OutboundError(phase, "ETIMEDOUT", `${phase} took longer than ${ms} ms`));
    }, ms / steps);
  };
  wait(steps);
  work.finally(() => clearTimeout(timer)).then(resolve, reject);
  return promise;
}

/** The addresses to connect to, resolved once and then pinned. */
async function pinnedAddresses(
  host: string,
  port: number,
  options: ConnectOptions,
): Promise<readonly string[]> {
  const literal = literalAddress(host);
  if (literal === undefined)
    throw new OutboundError("refused", "EHOST", `${host} isn't a host name`);
  const allowed = options.allow(host, port);
  if (!allowed && isBadPort(port)) {
    throw new OutboundError("refused", "EPORT", `port ${port} isn't a port for web pages`);
  }
  if (literal !== null) {
    if (allowed || isPublicAddress(literal)) return [literal];
    throw new OutboundError("refused", "EPRIVATE", `${literal} is not public`);
  }
  const externalLinks = options.nameServers ?? makeResolve(options.connectMs);
  const resolve = options.resolve ?? (allowed ? resolveBySystem : externalLinks);
  const found = await timeLimit("dns", options.connectMs, resolve(host)).catch((error: unknown) => {
    if (error instanceof OutboundError) throw error;
    throw new OutboundError("dns", codeOf(error, "ENOTFOUND"), `${host} has no address`, error);
  });
  const usable = allowed ? found : found.filter(isPublicAddress);
  if (usable.length > 0) return usable;
  throw found.length > 0
    ? new OutboundError(
        "refused",
        "EPRIVATE",
        `${host} resolves to ${found[0]}, which is not public`,
      )
    : new OutboundError("dns", "ENOTFOUND", `${host} has no address`);
}

/** A lookup function that always returns the checked addresses. */
function pinned(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  return (_host, options, callback) => {
    const [first] = all;
    if (options.all) callback(null, all);
    else callback(null, first?.address ?? "", first?.family ?? 4);
  };
}

function opened(host: string, port: number, addresses: readonly string[]): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const options: TcpNetConnectOpts = {
      host: addresses.length === 1 ? (addresses[0] as string) : host,
      port,
      lookup: pinned(addresses),
      autoSelectFamily: true,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 60_000,
    };
    const socket = connect(options);
    socket.once("connect", () => resolve(socket));
    socket.on("error", (error) => {
      const code = codeOf(error, "ECONNREFUSED");
      reject(new OutboundError("connect", code, `${host}:${port} accepts no connection`, error));
    });
  });
}

/**
 * Connects to a host if its address is acceptable: resolves the name, refuses anything but public
 * unicast addresses, and connects to exactly the address that was checked. Recognizes all other
 * notations of an address, such as numbers or IPv4 in IPv6.
 * @throws OutboundError
 */
export async function guardedConnect(
  host: string,
  port: number,
  options: ConnectOptions,
): Promise<Socket> {
  const addresses = await pinnedAddresses(host, port, options);
  const opening = opened(host, port, addresses);
  try {
    const socket = await timeLimit("connect", options.connectMs, opening);
    const { remoteAddress } = socket;
    if (remoteAddress !== undefined && !addresses.includes(remoteAddress)) {
      const same = addresses.some((address) => literalAddress(address) === remoteAddress);
      if (!same && !options.allow(host, port) && !isPublicAddress(remoteAddress)) {
        socket.destroy();
        throw new OutboundError("refused", "EPRIVATE", `${remoteAddress} is not public`);
      }
    }
    return socket;
  } catch (error) {
    // A connection after the deadline is useless.
    void opening.then((socket) => socket.destroy()).catch(() => {});
    throw error;
  }
}

function secured(socket: Socket, host: string): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const literal = literalAddress(host);
    const secure = connectTls({
      socket,
      host: literal ?? host,
      ...(literal === null && { servername: host.replace(/\.$/, "") }),
      ALPNProtocols: ["http/1.1"],
    });
    secure.once("secureConnect", () => resolve(secure));
    secure.on("error", (error) => {
      socket.destroy();
      const code = codeOf(error, "ETLS");
      reject(new OutboundError("tls", code, `no secure connection to ${host}`, error));
    });
  });
}

/** OpenSSL's error if a server doesn't speak TLS. */
const noTls = /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|EPROTO/;

async function connectTo(
  { hostname, protocol, port }: { hostname: string; protocol: string; port: string },
  options: GuardOptions,
): Promise<Socket> {
  const number = Number(port) || (protocol === "https:" ? 443 : 80);
  const routed = options.route?.(hostname, number) ?? null;
  const target = routed ?? { host: hostname, port: number };
  const guard = routed ? { ...options, allow: () => true } : options;
  const socket = await guardedConnect(target.host, target.port, guard);
  if (protocol !== "https:") return socket;
  const securing = secured(socket, hostname);
  try {
    return await timeLimit("tls", options.connectMs, securing);
  } catch (error) {
    socket.destroy();
    void securing.catch(() => {});
    // Behind a TLS proxy, the site itself often uses HTTP.
    if (!routed || !noTls.test(codeOf(error, ""))) throw error;
    return guardedConnect(target.host, target.port, guard);
  }
}

/**
 * An undici dispatcher that connects with `guardedConnect`; redirects are left to the caller, so
 * that each hop is checked.
 */
export function makeGuardedDispatcher(options: GuardOptions): Dispatcher {
  const shared = { ...options, nameServers: makeResolve(options.connectMs) };
  return new Agent({
    connections: options.connections,
    pipelining: 1,
    keepAliveTimeout: 10_000,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: 256 * 1024,
    connect: async (target, callback) => {
      let socket: Socket;
      try {
        socket = await connectTo(target, shared);
      } catch (error) {
        callback(error as Error, null);
        return;
      }
      callback(null, socket);
    },
  });
}
