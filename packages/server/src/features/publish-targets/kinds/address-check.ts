import { lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { literalAddress } from "vitrine-qa/src/system/address.ts";
import { resolveBySystem } from "vitrine-qa/src/system/resolve.ts";
import { AppError } from "../../../kit/errors.ts";

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

/** Whether an address is refused as a target. */
export type AddressCheck = (address: string) => boolean;

function refused(host: string): AppError {
  return new AppError("bad_request", `Vitrine doesn't connect to ${host}: no site can be there.`);
}

/** Refuses a host that is a forbidden address in any notation. Throws `bad_request`. */
export function assertLiteralAllowed(host: string, isForbidden: AddressCheck): void {
  const literal = literalAddress(host);
  if (literal === undefined || (literal !== null && isForbidden(literal))) throw refused(host);
}

/**
 * Refuses a host with a forbidden address, for programs that resolve names themselves. Throws
 * `bad_request`, and `upstream_failed` if the name doesn't exist.
 */
export async function assertHostAllowed(host: string, isForbidden: AddressCheck): Promise<void> {
  assertLiteralAllowed(host, isForbidden);
  if (literalAddress(host) !== null) return;
  let addresses: string[];
  try {
    addresses = await resolveBySystem(host);
  } catch (cause) {
    throw new AppError("upstream_failed", `The host ${host} can't be found.`, { cause });
  }
  if (addresses.length === 0 || addresses.some(isForbidden)) throw refused(host);
}

/** Resolves names for connections to exactly the addresses that were checked. */
export function checkedLookup(isForbidden: AddressCheck): LookupFunction {
  return (host, options, callback) => {
    systemLookup(host, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null) callback(error, "", 0);
      else if (first === undefined || addresses.some(({ address }) => isForbidden(address))) {
        callback(refused(host), "", 0);
      } else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
