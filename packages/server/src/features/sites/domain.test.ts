import { expect, test } from "vitest";
import { normalizeDomain } from "./domain.ts";

test.each([
  ["Example.ORG", "example.org"],
  ["example.org.", "example.org"],
  [" münchen.example ", "xn--mnchen-3ya.example"],
  ["anna.localhost", "anna.localhost"],
  ["xn--mnchen-3ya.example", "xn--mnchen-3ya.example"],
  ["a.b.c.d.example", "a.b.c.d.example"],
])("%j is the domain %s", (text, domain) => {
  expect(normalizeDomain(text)).toBe(domain);
});

test.each([
  "",
  "localhost",
  "https://example.org",
  "example.org:8080",
  "example.org/path",
  "127.0.0.1",
  "127.1",
  "0x7f.1",
  "2130706433",
  "example.1",
  "[::1]",
  "::1",
  "*.example.org",
  "user@example.org",
  "ex ample.org",
  "-a.example",
  "a-.example",
  "a..example",
  "under_score.example",
  "exa\u0000mple.org",
  `${"a".repeat(64)}.example`,
  `${"a.".repeat(130)}example`,
])("abuse 215: %j is no domain of a site", (text) => {
  expect(() => normalizeDomain(text)).toThrow(
    expect.objectContaining({ code: "validation_failed", fields: { domain: expect.any(String) } }),
  );
});
