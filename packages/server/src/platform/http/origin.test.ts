import { expect, test } from "vitest";
import { allowedHosts, assertSameOriginRead, assertSameOrigin } from "./origin.ts";

const allowed = ["https://site.example"];

function headers(given: Record<string, string>) {
  return { headers: { host: "site.example", ...given } };
}

test.each([
  ["no browser", {}],
  ["the site's own page", { origin: "https://site.example", "sec-fetch-site": "same-origin" }],
  ["an old browser's own page", { origin: "https://site.example" }],
  ["a page under no-referrer", { origin: "null", "sec-fetch-site": "same-origin" }],
  ["localhost by its port", { host: "localhost:3000", origin: "http://localhost:3000" }],
  ["an IP address", { host: "192.0.2.1:3000", origin: "http://192.0.2.1:3000" }],
  ["a bracketed address", { host: "[::1]:3000", origin: "http://[::1]:3000" }],
])("abuse 12: a change from %s passes", (_who, given) => {
  expect(() => assertSameOrigin(headers(given), allowed)).not.toThrow();
});

test.each([
  ["another site", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }],
  ["another site, old browser", { origin: "https://evil.example" }],
  ["a subdomain", { origin: "https://a.site.example", "sec-fetch-site": "same-site" }],
  ["another port", { origin: "https://site.example:8443", "sec-fetch-site": "same-site" }],
  ["plain http", { origin: "http://site.example", "sec-fetch-site": "cross-site" }],
  ["a longer name", { origin: "https://site.example.evil.example" }],
  ["a sandboxed frame", { origin: "null", "sec-fetch-site": "cross-site" }],
  ["an old sandboxed frame", { origin: "null" }],
  ["cross-site without Origin", { "sec-fetch-site": "cross-site" }],
  ["same-site without Origin", { "sec-fetch-site": "same-site" }],
  ["a made-up Sec-Fetch-Site", { "sec-fetch-site": "sure" }],
  ["a rebound name", { host: "evil.example:3000", origin: "http://evil.example:3000" }],
  ["a name like loopback", { host: "127.evil.example", origin: "http://127.evil.example" }],
  ["another port of localhost", { host: "localhost:3000", origin: "http://localhost:4000" }],
])("abuse 12: a change from %s is refused", (_who, given) => {
  expect(() => assertSameOrigin(headers(given), allowed)).toThrow(
    expect.objectContaining({ code: "bad_origin", status: 403 }) as Error,
  );
});

test("what only the admin may read can be linked to, but not loaded, from another site", () => {
  const site = { "sec-fetch-site": "cross-site" };
  const link = headers({ ...site, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" });
  expect(() => assertSameOriginRead(link, allowed)).not.toThrow();
  for (const [mode, dest] of [
    ["no-cors", "script"],
    ["navigate", "iframe"],
    ["cors", "empty"],
  ] as const) {
    const load = headers({ ...site, "sec-fetch-mode": mode, "sec-fetch-dest": dest });
    expect(() => assertSameOriginRead(load, allowed)).toThrow("another site");
  }
});

test("a server answers only to its own names", async () => {
  const web = allowedHosts({ names: ["site.example"], anyAddress: true });
  const runner = allowedHosts({ names: [], anyAddress: false });
  const served = (hook: typeof web, host: string | undefined) =>
    hook({ headers: host === undefined ? {} : { host } }).then(
      () => true,
      () => false,
    );
  for (const host of [
    "site.example",
    "SITE.example:443",
    "site.example.",
    "localhost:3000",
    "192.0.2.7:80",
    "[2001:db8::1]:80",
  ]) {
    expect([host, await served(web, host)]).toEqual([host, true]);
  }
  for (const host of [
    "evil.example",
    "127.evil.example",
    "site.example.evil.example",
    "a b",
    "",
    undefined,
  ]) {
    expect([host, await served(web, host)]).toEqual([host, false]);
  }
  for (const host of ["127.0.0.1:3011", "localhost:3011", "[::1]:3011"]) {
    expect([host, await served(runner, host)]).toEqual([host, true]);
  }
  expect(await served(runner, "192.0.2.7:3011")).toBe(false);
});
