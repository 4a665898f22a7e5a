import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import { AppError } from "../../kit/errors.ts";

const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;
const maxLength = 253;

/**
 * A domain as Host headers have it: lowercase, in ASCII (IDNA), without a final dot. Throws
 * `validation_failed` for addresses, ports, IP addresses, wildcards, and names without a dot.
 */
export function normalizeDomain(text: string): string {
  const given = text.trim().replace(/\.$/, "");
  const domain = /[\s:/\\@?#%*]/.test(given) ? "" : domainToASCII(given);
  const labels = domain.split(".");
  const isName =
    domain.length <= maxLength &&
    labels.length > 1 &&
    labels.every((part) => label.test(part)) &&
    // What ends in a number is an address, in one form or another (URL Standard).
    !/^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? "") &&
    isIP(domain) === 0;
  if (isName) return domain;
  const message = "must be a domain such as example.org, without https:// and without a port";
  throw new AppError("validation_failed", `The domain ${message}.`, {
    fields: { domain: message },
  });
}
