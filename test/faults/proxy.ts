import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";

/** A proxy from a TCP port to a server's socket that can be stalled and broken. */
export interface StallingProxy {
  port: number;
  /** Passes nothing on until `flow`; connections stay open and new ones are taken. */
  stall(): void;
  flow(): void;
  /** Resets every connection. */
  reset(): void;
  close(): Promise<void>;
}

/** Listens on the loopback and passes each connection on to the unix socket at `path`. */
export async function startProxy(path: string): Promise<StallingProxy> {
  const sockets = new Set<Socket>();
  const clients = new Set<Socket>();
  let isStalled = false;
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    if (isStalled) socket.pause();
  };
  const server = createServer((client) => {
    const upstream = connect(path);
    client.pipe(upstream);
    upstream.pipe(client);
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
    clients.add(client);
    client.on("close", () => clients.delete(client));
    track(client);
    track(upstream);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    stall() {
      isStalled = true;
      for (const socket of sockets) socket.pause();
    },
    flow() {
      isStalled = false;
      for (const socket of sockets) socket.resume();
    },
    reset() {
      // The way to the server is a unix socket, which knows no reset; it ends with its client.
      for (const socket of clients) socket.resetAndDestroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/**
 * A proxy to the server of a database whose address names a Unix socket, as tests have it. Returns the
 * address through the proxy, too.
 */
export async function startDatabaseProxy(
  databaseUrl: string,
): Promise<{ proxy: StallingProxy; url: string }> {
  const { pathname, searchParams } = new URL(databaseUrl.replace("@/", "@localhost/"));
  const proxy = await startProxy(join(searchParams.get("host") ?? "", ".s.PGSQL.5432"));
  return { proxy, url: `postgres://vitrine@127.0.0.1:${proxy.port}${pathname}` };
}
