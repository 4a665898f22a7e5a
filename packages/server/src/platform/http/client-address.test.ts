import { expect, test } from "vitest";
import { loadConfig } from "../config.ts";
import {
  addressBucket,
  canonicalAddress,
  inNetworks,
  makeClientOf,
  parseNetworks,
} from "./client-address.ts";

function request(remoteAddress: string | undefined, headers: Record<string, string> = {}) {
  return { headers, socket: { remoteAddress } };
}

const ownAddresses = () => new Set(["192.0.2.10"]);
const plain = makeClientOf({ trustedIps: [], trustProxy: [], ownAddresses });

test.each([
  ["::ffff:127.0.0.1", "127.0.0.1"],
  ["::ffff:7f00:1", "127.0.0.1"],
  ["[::1]", "::1"],
  ["[2001:DB8::1]:8080", "2001:db8::1"],
  ["0177.0.0.1", "127.0.0.1"],
  ["fe80::1%eth0", "fe80::1"],
  ["198.51.100.7:5432", "198.51.100.7"],
  ["2001:0db8:0000:0000:0000:0000:0000:0001", "2001:db8::1"],
  [" 203.0.113.9 ", "203.0.113.9"],
])("abuse 27: %s is %s", (spelling, canonical) => {
  expect(canonicalAddress(spelling)).toBe(canonical);
});

test.each(["", "unknown", "_hidden", "1.2.3.4.5", "300.1.1.1", "::1::", "a".repeat(500)])(
  "abuse 27: %j is no address",
  (text) => {
    expect(canonicalAddress(text)).toBeNull();
  },
);

test("limits count IPv4 addresses and IPv6 /64 networks", () => {
  expect(addressBucket("203.0.113.9")).toBe("203.0.113.9");
  expect(addressBucket("::ffff:203.0.113.9")).toBe("203.0.113.9");
  expect(addressBucket("2001:db8:1:2:3:4:5:6")).toBe(addressBucket("2001:db8:1:2:ffff::"));
  expect(addressBucket("2001:db8:1:2::")).not.toBe(addressBucket("2001:db8:1:3::"));
});

test("this machine itself is trusted: loopback and its own addresses", () => {
  for (const own of ["127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1", "192.0.2.10"]) {
    expect([own, plain(request(own)).trusted]).toEqual([own, true]);
  }
  expect(plain(request("192.0.2.11")).trusted).toBe(false);
  expect(plain(request(undefined))).toEqual({
    address: "unknown",
    bucket: "unknown",
    trusted: false,
  });
});

test("abuse 25: X-Forwarded-For of a stranger is ignored, whatever it says", () => {
  for (const name of ["x-forwarded-for", "forwarded", "x-real-ip"]) {
    expect(plain(request("203.0.113.9", { [name]: "127.0.0.1" }))).toEqual({
      address: "203.0.113.9",
      bucket: "203.0.113.9",
      trusted: false,
    });
  }
});

test("abuse 26: forwarded traffic from loopback is never trusted", () => {
  const forwarded = plain(request("127.0.0.1", { "x-forwarded-for": "203.0.113.9" }));
  expect(forwarded).toMatchObject({ address: "127.0.0.1", trusted: false });
  const listed = makeClientOf({ trustedIps: ["127.0.0.0/8"], trustProxy: [], ownAddresses });
  expect(listed(request("127.0.0.1", { via: "1.1 proxy" })).trusted).toBe(false);
});

test("abuse 26: behind a declared proxy each real client has its own bucket", () => {
  const clientOf = makeClientOf({
    trustedIps: ["198.51.100.0/24"],
    trustProxy: ["127.0.0.1", "10.0.0.0/8"],
    ownAddresses,
  });
  const via = (chain: string) => clientOf(request("127.0.0.1", { "x-forwarded-for": chain }));
  expect(via("203.0.113.9").bucket).toBe("203.0.113.9");
  expect(via("203.0.113.10").bucket).toBe("203.0.113.10");
  // Read from the right: what the client itself wrote stands further left.
  expect(via("127.0.0.1, 203.0.113.9, 10.1.2.3")).toMatchObject({
    address: "203.0.113.9",
    trusted: false,
  });
  expect(via("127.0.0.1").trusted).toBe(false);
  expect(via("192.0.2.11").trusted).toBe(false);
  expect(via("198.51.100.200").trusted).toBe(true);
  expect(via("1.2.3.4, garbage")).toMatchObject({ address: "127.0.0.1", trusted: false });
});

test("abuse 26: a declared proxy that was asked by this machine's own address says so, private or not", () => {
  const clientOf = makeClientOf({
    trustedIps: [],
    trustProxy: ["127.0.0.1", "10.0.0.0/8"],
    ownAddresses: () =>
      new Set(["127.0.0.1", "::1", "172.17.0.1", "fd00::5", "93.184.216.34", "2a00:1::5"]),
  });
  const via = (chain: string, peer = "127.0.0.1") =>
    clientOf(request(peer, { "x-forwarded-for": chain }));
  expect(via("93.184.216.34")).toMatchObject({ address: "93.184.216.34", trusted: true });
  expect(via("203.0.113.9, 2a00:1::5").trusted).toBe(true);
  for (const forged of ["93.184.216.34, 203.0.113.9", "93.184.216.34, 10.1.2.3"]) {
    expect([forged, via(forged).trusted]).toEqual([forged, false]);
  }
  for (const own of ["172.17.0.1", "::ffff:172.17.0.1", "fd00::5"]) {
    expect([own, via(own).trusted]).toEqual([own, true]);
  }
  expect(via("172.17.0.2").trusted).toBe(false);
  // Whoever a tunnel of this machine lets in has these.
  for (const carrier of ["127.0.0.1", "::1"]) {
    expect([carrier, via(carrier).trusted]).toEqual([carrier, false]);
  }
  expect(via("93.184.216.34", "203.0.113.9").trusted).toBe(false);
  expect(via("93.184.216.34", "93.184.216.34").trusted).toBe(false);
});

test("a network holds an address in every spelling of it", () => {
  const networks = parseNetworks(["10.0.0.0/8", "2001:db8::/32", "::ffff:192.0.2.0/120"], "list");
  expect(inNetworks("::ffff:10.1.2.3", networks)).toBe(true);
  expect(inNetworks("2001:DB8:0:0::5%eth1", networks)).toBe(true);
  expect(inNetworks("192.0.2.77", networks)).toBe(true);
  expect(inNetworks("192.0.3.1", networks)).toBe(false);
  expect(inNetworks("11.0.0.1", networks)).toBe(false);
});

test.each([
  "10.0.0.0/33",
  "10.0.0",
  "010.0.0.1",
  "example.org",
  "::1/129",
  "10.0.0.0/8/8",
  "1.2.3.4/",
  "fe80::1%eth0",
])("abuse 28: a list with %s is refused and the entry named", (entry) => {
  expect(() => parseNetworks(["10.0.0.1", entry], "TRUSTED_IPS")).toThrow(
    `TRUSTED_IPS has ${JSON.stringify(entry)}`,
  );
});

test("abuse 28: the program does not start with a malformed TRUSTED_IPS", () => {
  const env = { VITRINE_DIR: "/nonexistent", TRUSTED_IPS: "10.0.0.1, 10.0.0.300" };
  expect(() => loadConfig(env)).toThrow('TRUSTED_IPS has "10.0.0.300"');
});
