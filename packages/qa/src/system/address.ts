import ipaddr from "ipaddr.js";

/** The public range of IPv6 (RFC 4291, 2.4; IANA). */
const globalUnicast = [ipaddr.IPv6.parse("2000::"), 3] as const;
/** A part of it for documentation only (RFC 9637). */
const documentation = [ipaddr.IPv6.parse("3fff::"), 20] as const;

/** In the public range, yet local to a cloud machine: Azure's WireServer, which serves secrets. */
const cloudMetadataAddresses = new Set(["168.63.129.16"]);

/**
 * Whether an address, in its plain notation, is a public internet address. IPv6 addresses that
 * contain an IPv4 address (mapped, NAT64, 6to4, Teredo) aren't, because their real target is
 * unknown.
 */
export function isPublicAddress(address: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) {
    return ipaddr.IPv4.parse(address).range() === "unicast" && !cloudMetadataAddresses.has(address);
  }
  if (!address.includes(":") || !ipaddr.IPv6.isValid(address)) return false;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.zoneId !== undefined || parsed.range() !== "unicast") return false;
  return parsed.match(...globalUnicast) && !parsed.match(...documentation);
}

/**
 * The plain notation of a host that is an IP address: `[::1]`, `2130706433`, `0x7f.1`, `127.1` (URL
 * standard, 3.5). Null for a name, undefined for an invalid host.
 */
export function literalAddress(host: string): string | null | undefined {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  if (bare.includes(":")) return ipaddr.IPv6.isValid(bare) ? bare : undefined;
  if (/[\s/?#@\\]/.test(bare)) return undefined;
  const hostname = URL.parse(`http://${bare}/`)?.hostname;
  if (hostname === undefined || hostname === "") return undefined;
  return ipaddr.IPv4.isValidFourPartDecimal(hostname) ? hostname : null;
}

/** Ports that browsers block (Fetch standard, 2.9): mail, chat, remote shells. */
const badPorts = new Set(
  (
    "0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 " +
    "113 115 117 119 123 135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 " +
    "548 554 556 563 587 601 636 989 990 993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 " +
    "6566 6665 6666 6667 6668 6669 6679 6697 10080"
  )
    .split(" ")
    .map(Number),
);

/** Whether a port is blocked or invalid. */
export function isBadPort(port: number): boolean {
  return badPorts.has(port) || !(port > 0 && port < 65_536);
}
