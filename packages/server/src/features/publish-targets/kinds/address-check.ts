import { literalAddress } from "vitrine-qa/src/system/address.ts";
import { resolveBySystem } from "vitrine-qa/src/system/resolve.ts";
import { AppError } from "../../../kit/errors.ts";
import { type AddressCheck, refusedHost } from "../../../platform/checked-fetch.ts";

/** Refuses a host that is a forbidden address in any notation. Throws `bad_request`. */
export function assertLiteralAllowed(host: string, isForbidden: AddressCheck): void {
  const literal = literalAddress(host);
  if (literal === undefined || (literal !== null && isForbidden(literal))) throw refusedHost(host);
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
  if (addresses.length === 0 || addresses.some(isForbidden)) throw refusedHost(host);
}
