import { lookup as systemLookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import type { Dispatcher } from "undici";
import Agent from "undici/lib/dispatcher/agent.js";
import Dispatcher1Wrapper from "undici/lib/dispatcher/dispatcher1-wrapper.js";
import { AppError } from "../kit/errors.ts";

/** In the public range, yet local to a cloud machine: it serves secrets. */
const cloudMetadata = new Set(["168.63.129.16", "100.100.100.200", "fd00:ec2::254"]);
/** Ranges without anything that a site could be sent to. */
const forbiddenRanges = new Set(["linkLocal", "unspecified", "multicast", "broadcast", "reserved"]);

/**
 * Whether no target can be at an address: the services of cloud machines that hand out keys, and
 * addresses that are nobody's. This machine and its network are allowed, because a bucket or a
 * server of one's own is often there.
 */
export function isForbiddenAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return true;
  const parsed = ipaddr.process(address);
  return cloudMetadata.has(parsed.toString()) || forbiddenRanges.has(parsed.range());
}

/** Whether an address is refused. */
export type AddressCheck = (address: string) => boolean;

/** The error for a host with a forbidden address. */
export function refusedHost(host: string): AppError {
  return new AppError(
    "bad_request",
    `Vitrine doesn't connect to ${host}: its address is reserved.`,
  );
}

/** Resolves names for connections to exactly the addresses that were checked. */
export function checkedLookup(isForbidden: AddressCheck): LookupFunction {
  return (host, options, callback) => {
    systemLookup(host, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null) callback(error, "", 0);
      else if (first === undefined || addresses.some(({ address }) => isForbidden(address))) {
        callback(refusedHost(host), "", 0);
      } else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** Unlike 0.0.0.0, which leads to this machine: local models are often configured with it. */
function isForbiddenService(address: string): boolean {
  const isHere = ipaddr.isValid(address) && ipaddr.process(address).range() === "unspecified";
  return !isHere && isForbiddenAddress(address);
}

/** Makes a fetch that connects to no forbidden address, by name or by number. */
export function makeCheckedFetch(isForbidden: AddressCheck): typeof globalThis.fetch {
  let dispatcher: Dispatcher | undefined;
  return async (input, init) => {
    const { hostname } = new URL(input instanceof Request ? input.url : input);
    const host = hostname.replaceAll(/[[\]]/g, "");
    // Numbers are never looked up; URL has normalized their notation.
    if (isIP(host) > 0 && isForbidden(host)) throw refusedHost(host);
    // The wrapper, because Node's fetch has an older interface than the package.
    dispatcher ??= new Dispatcher1Wrapper(
      new Agent({ connect: { lookup: checkedLookup(isForbidden) } }),
    );
    const checked: RequestInit = { ...init };
    return globalThis.fetch(input, Object.assign(checked, { dispatcher }));
  };
}

/**
 * Fetch for services whose address the owner has entered: models, email providers, and identity
 * providers. This machine and its network are allowed, key services of clouds aren't.
 */
export const checkedFetch = makeCheckedFetch(isForbiddenService);
