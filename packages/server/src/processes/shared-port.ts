import { lookup } from "node:dns/promises";
import { rm } from "node:fs/promises";
import net, { type Server } from "node:net";

/** A bound port whose socket outlives the processes that serve it. */
export interface SharedPort {
  /** The socket's descriptor in this process, for a child to inherit. */
  descriptor: number;
  close(): void;
}

/** The descriptor of the socket in a child: after its three streams and the IPC channel. */
export const inheritedDescriptor = 4;

/** What Node's own cluster module binds ports with; undocumented and untyped. */
type CreateHandle = (address: string, port: number, family: 4 | 6, fd: undefined) => unknown;

interface BoundHandle {
  fd: number;
  getsockname(out: { port?: number }): number;
  close(): void;
}

function isHandle(value: unknown): value is BoundHandle {
  return typeof value === "object" && value !== null && "fd" in value && "getsockname" in value;
}

/**
 * Binds a port without listening on it. Whoever inherits the socket listens; while nobody does
 * after the first one, connections wait in its queue instead of being refused. Throws `EADDRINUSE`
 * or `EACCES` with the port, like servers. Null if this Node can't, and the server has to bind the
 * port itself.
 */
export async function bindSharedPort(host: string, port: number): Promise<SharedPort | null> {
  // oxlint-disable-next-line no-underscore-dangle -- there is no other way to bind and not listen
  const create = (net as unknown as { _createServerHandle?: CreateHandle })._createServerHandle;
  if (typeof create !== "function" || process.platform === "win32" || port === 0) return null;
  // It has an address of each family and needs a socket for each.
  if (host === "localhost") return null;
  const { address, family } = await lookup(host);
  const handle = create(address, port, family === 6 ? 6 : 4, undefined);
  if (!isHandle(handle)) throw portError(handle === -13 ? "EACCES" : "EADDRINUSE", port);
  const bound: { port?: number } = {};
  // If another process listens on a port, that is reported only when this one listens.
  handle.getsockname(bound);
  if (bound.port !== port) {
    handle.close();
    throw portError("EADDRINUSE", port);
  }
  return { descriptor: handle.fd, close: () => handle.close() };
}

function portError(code: "EADDRINUSE" | "EACCES", port: number): Error {
  return Object.assign(new Error(`listen ${code}: port ${port}`), { code, port });
}

/** The descriptor to serve on, from the arguments of this process; null without one. */
export function descriptorArgument(args: readonly string[]): number | null {
  const given = args.find((arg) => arg.startsWith("--descriptor="))?.split("=")[1];
  return given === undefined ? null : Number(given);
}

/** The Unix socket to serve on, from the arguments of this process; null without one. */
export function socketArgument(args: readonly string[]): string | null {
  return args.find((arg) => arg.startsWith("--socket="))?.slice("--socket=".length) ?? null;
}

/**
 * Serves on an inherited socket. Returns a function that stops accepting requests and completes
 * running ones.
 */
export async function listenOn(server: Server, descriptor: number): Promise<() => Promise<void>> {
  await listening(server, () => server.listen({ fd: descriptor }));
  return () => new Promise((closed) => void server.close(() => closed()));
}

/**
 * Serves on a Unix socket that only this user can connect to, replacing one left by a killed
 * process. Returns a function like `listenOn`.
 */
export async function listenOnSocket(server: Server, path: string): Promise<() => Promise<void>> {
  await rm(path, { force: true });
  await listening(server, () => {
    // Nobody may connect between the creation of the socket and a later chmod.
    const before = process.umask(0o177);
    try {
      server.listen({ path });
    } finally {
      process.umask(before);
    }
  });
  return () => new Promise((closed) => void server.close(() => closed()));
}

async function listening(server: Server, listen: () => void): Promise<void> {
  await new Promise<void>((done, failed) => {
    server.once("error", failed);
    server.once("listening", () => {
      server.off("error", failed);
      done();
    });
    listen();
  });
}
