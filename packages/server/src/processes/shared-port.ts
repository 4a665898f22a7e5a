import { lookup } from "node:dns/promises";
import { rm } from "node:fs/promises";
import net, { type Server } from "node:net";

/** A bound port whose socket outlives each process that serves on it. */
export interface SharedPort {
  /** The socket's descriptor in this process, for a child to inherit. */
  descriptor: number;
  close(): void;
}

/** The number that a child finds the socket under: after its three streams and the IPC channel. */
export const inheritedDescriptor = 4;

/** What Node's own cluster module binds ports with; absent from the documentation and the types. */
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
 * Binds a port without listening on it. Whoever inherits the socket listens; while nobody does after the
 * first one, connections wait in its queue instead of being refused. Throws `EADDRINUSE` or `EACCES` with
 * the port as servers do. Null where this Node can't, and the server has to bind the port itself.
 */
export async function bindSharedPort(host: string, port: number): Promise<SharedPort | null> {
  // oxlint-disable-next-line no-underscore-dangle -- there is no other way to bind and not listen
  const create = (net as unknown as { _createServerHandle?: CreateHandle })._createServerHandle;
  if (typeof create !== "function" || process.platform === "win32" || port === 0) return null;
  // It has an address of each family, and needs a socket for each.
  if (host === "localhost") return null;
  const { address, family } = await lookup(host);
  const handle = create(address, port, family === 6 ? 6 : 4, undefined);
  if (!isHandle(handle)) throw portError(handle === -13 ? "EACCES" : "EADDRINUSE", port);
  const bound: { port?: number } = {};
  // A port that another one listens on is reported only when this one listens: it has no port then.
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

/** The descriptor that this process was started with to serve on, by its arguments; null without. */
export function descriptorArgument(args: readonly string[]): number | null {
  const given = args.find((arg) => arg.startsWith("--descriptor="))?.split("=")[1];
  return given === undefined ? null : Number(given);
}

/** The Unix socket that this process was started to serve on, by its arguments; null without. */
export function socketArgument(args: readonly string[]): string | null {
  return args.find((arg) => arg.startsWith("--socket="))?.slice("--socket=".length) ?? null;
}

/** Serves on an inherited socket. Gives what ends that: nothing new is taken, what is under way is answered. */
export async function listenOn(server: Server, descriptor: number): Promise<() => Promise<void>> {
  await listening(server, () => server.listen({ fd: descriptor }));
  return () => new Promise((closed) => void server.close(() => closed()));
}

/**
 * Serves on a Unix socket that only this user can connect to. What a killed process has left there gives
 * way. Gives what ends that, as `listenOn` does.
 */
export async function listenOnSocket(server: Server, path: string): Promise<() => Promise<void>> {
  await rm(path, { force: true });
  await listening(server, () => {
    // Nobody may connect between the socket's making and a later change of its rights.
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
