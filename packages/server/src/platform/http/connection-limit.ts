import type { Server, Socket } from "node:net";
import ipaddr from "ipaddr.js";
import { type ClientOf, inNetworks, parseNetworks } from "./client-address.ts";

/** More than browsers of a whole office open at once. */
const defaultMaxConnections = 256;

/** Addresses of proxies, containers and tunnels, which may speak for many people. */
const shared = new Set(["loopback", "private", "uniqueLocal", "linkLocal", "carrierGradeNat"]);

function isShared(address: string): boolean {
  return !ipaddr.isValid(address) || shared.has(ipaddr.parse(address).range());
}

/**
 * Bounds the connections that one client may hold open at once; one more is closed unheard. Declared
 * proxies, trusted addresses and private ones are not bounded.
 */
export function limitConnections(
  server: Server,
  options: { clientOf: ClientOf; trustProxy: readonly string[]; max?: number },
): void {
  const { clientOf, max = defaultMaxConnections } = options;
  const proxies = parseNetworks(options.trustProxy, "trustProxy");
  const open = new Map<string, number>();

  server.on("connection", (socket: Socket) => {
    const { address, bucket, trusted } = clientOf({ headers: {}, socket });
    if (trusted || isShared(address) || inNetworks(address, proxies)) return;
    const count = (open.get(bucket) ?? 0) + 1;
    open.set(bucket, count);
    socket.once("close", () => {
      const left = (open.get(bucket) ?? 1) - 1;
      if (left === 0) open.delete(bucket);
      else open.set(bucket, left);
    });
    if (count > max) socket.destroy();
  });
}
