import { once } from "node:events";
import { createSocket } from "node:dgram";
import { createServer, type AddressInfo } from "node:net";
import type { Escape } from "./escape.ts";

/**
 * A stranger's server that counts what reaches it before anything is said: each escape has a host name
 * of its own, which the browser is made to resolve to an address of loopback of its own, so that a
 * connection tells whose it is without a byte.
 */
export interface Canary {
  /** Where it listens, on all addresses of loopback. */
  port: number;
  /** Chromium's `--host-resolver-rules`. */
  resolverRules: string;
  /** Replaces the placeholders of an escape's text. */
  fill(name: string, text: string, prefix: string): string;
  /** The names of the escapes that have reached it, as often as they did. */
  reached: string[];
  close(): Promise<void>;
}

const address = (index: number) => `127.1.${Math.floor(index / 250)}.${(index % 250) + 1}`;

/** Starts it for these escapes. */
export async function startCanary(escapes: readonly Pick<Escape, "name">[]): Promise<Canary> {
  const reached: string[] = [];
  const names = new Map(escapes.map(({ name }, index) => [address(index), name]));
  const server = createServer((socket) => {
    reached.push(names.get(socket.localAddress ?? "") ?? `unknown ${socket.localAddress}`);
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.end(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nAccess-Control-Allow-Origin: *\r\n" +
          "Supports-Loading-Mode: credentialed-prerender\r\nConnection: close\r\n\r\n<p>far away</p>",
      );
    });
  }).listen(0, "0.0.0.0");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  // Datagrams don't tell where they were sent to: an address for each that may get some.
  const sockets = new Map<string, { name: string; port: number; close(): void }>();
  for (const { name } of escapes.filter((one) => one.name.includes("rtc"))) {
    const socket = createSocket("udp4").on("message", () => reached.push(name));
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    sockets.set(name, { name, port: socket.address().port, close: () => socket.close() });
  }
  const rules = [...names].map(([ip, name]) => `MAP ${name}.canary.test ${ip}`);
  return {
    port,
    reached,
    resolverRules: rules.join(", "),
    fill(name, text, prefix) {
      const host = `${name}.canary.test:${port}`;
      const words: Record<string, string> = {
        URL: `http://${host}/x`,
        URL2: `http://${host}/y`,
        HTTPS: `https://${host}/x`,
        WS: `ws://${host}/x`,
        HOST: host,
        UDP: `127.0.0.1:${sockets.get(name)?.port ?? 9}`,
        PREFIX: prefix,
      };
      return text.replace(
        /(?<![\w.])(?:URL2?|HTTPS|WS|HOST|UDP|PREFIX)\b(?!\.(?:create|canParse))/g,
        (word) => words[word] ?? word,
      );
    },
    async close() {
      for (const socket of sockets.values()) socket.close();
      server.close();
    },
  };
}
