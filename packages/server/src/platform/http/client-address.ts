import { networkInterfaces } from "node:os";
import type { IncomingHttpHeaders } from "node:http";
import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";
import { AppError } from "../../kit/errors.ts";

/** An address range: the network's address and its prefix length. */
export type Network = readonly [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number];

/** The sender of a request. */
export interface Client {
  /** The canonical address, for records. */
  address: string;
  /** The key for limits: the IPv4 address, or the /64 of an IPv6 address. */
  bucket: string;
  /** Never throttled: this machine, or an address in TRUSTED_IPS. */
  trusted: boolean;
}

export type ClientOf = (request: RequestLike) => Client;

/** The parts of a request that identify its sender; Fastify's and Node's requests both match. */
export interface RequestLike {
  headers: IncomingHttpHeaders;
  socket: { remoteAddress?: string | undefined };
}

/** Headers that show that there is a proxy between the client and this socket. */
export const forwardingHeaders = [
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-forwarded",
  "forwarded",
  "forwarded-for",
  "x-real-ip",
  "x-client-ip",
  "x-cluster-client-ip",
  "cf-connecting-ip",
  "true-client-ip",
  "via",
];

/** Longer chains than any real one are cut off, so that a header can't cause unlimited work. */
const maxHops = 32;

/** Clients that are remembered, each by so many characters at most. */
const maxKnownClients = 2000;
const maxKnownLength = 200;

const unknownClient: Client = { address: "unknown", bucket: "unknown", trusted: false };

/**
 * Parses any spelling of an address: brackets, port, zone ID, IPv4-mapped, octal; null if it isn't
 * one.
 */
function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const trimmed = text.trim();
  const bare =
    /^\[([^\]]*)\](?::\d{1,5})?$/.exec(trimmed)?.[1] ??
    /^([\d.]+):\d{1,5}$/.exec(trimmed)?.[1] ??
    trimmed;
  const address = bare.replace(/%.*$/s, "");
  if (address.length > 45 || !ipaddr.isValid(address)) return null;
  return ipaddr.process(address);
}

/**
 * The canonical form of an address: dotted decimal IPv4 (also for ::ffff:a.b.c.d), RFC 5952 IPv6
 * without zone. Null if the text isn't an address.
 */
export function canonicalAddress(text: string): string | null {
  return parseAddress(text)?.toString() ?? null;
}

/** The key for limits: the IPv4 address, or the /64 of an IPv6 address. */
export function addressBucket(address: string): string {
  const parsed = parseAddress(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed?.toString() ?? address;
  const network = new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]);
  return `${network.toString()}/64`;
}

function parseNetwork(entry: string): Network | null {
  const [address = "", bits, ...rest] = entry.trim().split("/");
  const ipv4 = ipaddr.IPv4.isValidFourPartDecimal(address);
  if (rest.length > 0 || !(ipv4 || (address.includes(":") && ipaddr.IPv6.isValid(address)))) {
    return null;
  }
  if (address.includes("%")) return null;
  const parsed = ipaddr.parse(address);
  const width = ipv4 ? 32 : 128;
  const length = bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
  if (length < 0 || length > width) return null;
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress()) {
    return length < 96 ? null : [parsed.toIPv4Address(), length - 96];
  }
  return [parsed, length];
}

/**
 * Parses a list of addresses and CIDR ranges. Ambiguous spellings (octal, short IPv4) are refused.
 * Throws `bad_request` with the list and the invalid entry.
 */
export function parseNetworks(list: readonly string[], name: string): Network[] {
  return list.map((entry) => {
    const network = parseNetwork(entry);
    if (network) return network;
    const reason = `has ${JSON.stringify(entry)}, which is neither an address nor a CIDR range`;
    throw new AppError("bad_request", `Configuration: ${name} ${reason}.`, {
      fields: { [name]: reason },
    });
  });
}

/** Whether an address in any spelling is in one of the networks. */
export function inNetworks(address: string, networks: readonly Network[]): boolean {
  const parsed = parseAddress(address);
  if (parsed === null) return false;
  return networks.some(([network, bits]) => {
    if (parsed instanceof ipaddr.IPv4) {
      return network instanceof ipaddr.IPv4 && parsed.match(network, bits);
    }
    return network instanceof ipaddr.IPv6 && parsed.match(network, bits);
  });
}

const loopback = parseNetworks(["127.0.0.0/8", "::1"], "loopback");

/** The addresses of this machine's own interfaces, in canonical form. */
function interfaceAddresses(): Set<string> {
  const all = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  return new Set(all.flatMap((entry) => canonicalAddress(entry.address) ?? []));
}

/**
 * Whether a forwarded address is one of this machine's own, public or private: its own request,
 * which went out and came back through the proxy. Excludes loopback, which clients of a tunnel have
 * as well.
 */
function isOwnForwarded(address: string, own: Set<string>): boolean {
  return own.has(address) && !inNetworks(address, loopback);
}

/** The client of a chain of declared proxies: the last hop that isn't one. */
function walkForwarded(peer: string, header: string | undefined, proxies: Network[]): string {
  const hops = (header ?? "").split(",");
  let address = peer;
  for (let i = 0; i < maxHops && inNetworks(address, proxies); i += 1) {
    const hop = canonicalAddress(hops.pop() ?? "");
    if (hop === null) break;
    address = hop;
  }
  return address;
}

/**
 * Determines who sent a request. X-Forwarded-For counts only from a peer in `trustProxy`, read from
 * the right; from anybody else it is ignored. Loopback and this machine's own addresses are trusted
 * only without any forwarding header. A proxy's address says nothing about its clients: forwarded
 * requests are trusted only if the client behind declared proxies is, or if the nearest one says
 * that the request came from an address of this machine, except loopback.
 */
export function makeClientOf(options: {
  trustedIps: readonly string[];
  trustProxy: readonly string[];
  /** Canonical addresses of this machine; defaults to its interfaces. */
  ownAddresses?: () => Set<string>;
}): ClientOf {
  const trusted = parseNetworks(options.trustedIps, "trustedIps");
  const proxies = parseNetworks(options.trustProxy, "trustProxy");
  const own = (options.ownAddresses ?? interfaceAddresses)();

  const identify = (peer: string, forwarded: boolean, header: string | undefined): Client => {
    if (!forwarded) {
      const self = inNetworks(peer, loopback) || own.has(peer);
      return {
        address: peer,
        bucket: addressBucket(peer),
        trusted: self || inNetworks(peer, trusted),
      };
    }
    const address = walkForwarded(peer, header, proxies);
    const behindProxy = address !== peer;
    // Entries further left were written by somebody else.
    const isNearest = address === canonicalAddress(header?.split(",").at(-1) ?? "");
    return {
      address,
      bucket: addressBucket(address),
      trusted:
        behindProxy &&
        (inNetworks(address, trusted) || (isNearest && isOwnForwarded(address, own))),
    };
  };

  // Whoever asks once asks again: the same words come to the same client.
  const known = new LRUCache<string, Client>({ max: maxKnownClients });
  return ({ headers, socket }) => {
    const { remoteAddress = "" } = socket;
    const forwarded = forwardingHeaders.some((name) => headers[name] !== undefined);
    const lists = forwarded ? headers["x-forwarded-for"] : undefined;
    const header = Array.isArray(lists) ? lists.join(",") : lists;
    const isShort = remoteAddress.length + (header?.length ?? 0) <= maxKnownLength;
    const key = `${remoteAddress} ${forwarded ? "by" : ""} ${header ?? ""}`;
    const found = isShort ? known.get(key) : undefined;
    if (found !== undefined) return found;
    const peer = canonicalAddress(remoteAddress);
    const client = peer === null ? unknownClient : identify(peer, forwarded, header);
    if (isShort) known.set(key, client);
    return client;
  };
}
