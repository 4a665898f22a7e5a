import type { Server, Socket } from "node:net";
import ipaddr from "ipaddr.js";
import { type ClientOf, inNetworks, parseNetworks } from "./client-address.ts";

/** More than the browsers of a whole office open at once. */
const defaultMaxConnections = 256;

/** Addresses of proxies, containers, and tunnels, which may represent many people. */
const shared = new Set(["loopback", "private", "uniqueLocal", "linkLocal", "carrierGradeNat"]);

function isShared(address: string): boolean {
  return !ipaddr.isValid(address) || shared.has(ipaddr.parse(address).range());
}

/**
 * Limits the connections that one client can hold open at once; further ones are closed
 * immediately. Declared proxies, trusted addresses, and private ones aren't limited.
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
