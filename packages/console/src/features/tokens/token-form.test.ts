import { expect, test } from "vitest";

import { type ApiToken, missingToken, newToken, stateOf, tokenBody } from "./token-form.ts";

const now = Date.parse("2026-11-21T12:00:00.000Z");
const form = { ...newToken, name: " backup " };

test("a token needs a name, and a day that isn't over", () => {
  expect(missingToken(form, now, "UTC")).toEqual({});
  expect(Object.keys(missingToken(newToken, now, "UTC"))).toEqual(["name"]);
  const until = (day: string) => missingToken({ ...form, lifetime: "date", day }, now, "UTC");
  expect(until("")).toHaveProperty("expires");
  expect(until("2026-11-20")).toHaveProperty("expires");
  expect(until("2026-11-21")).toEqual({});
});

test("it expires after some days, at the end of a day by the owner's clock, or never", () => {
  const body = (lifetime: "30" | "date" | "never", zone = "UTC") =>
    tokenBody({ ...form, lifetime, day: "2026-12-31" }, now, zone);
  expect(body("30")).toEqual({
    name: "backup",
    scopes: ["read"],
    expires: "2026-12-21T12:00:00.000Z",
  });
  expect(body("date")).toMatchObject({ expires: "2027-01-01T00:00:00.000Z" });
  expect(body("date", "Asia/Tokyo")).toMatchObject({ expires: "2026-12-31T15:00:00.000Z" });
  expect(body("never")).not.toHaveProperty("expires");
  expect(tokenBody({ ...form, right: "write" }, now, "UTC")).toMatchObject({
    scopes: ["read", "write"],
  });
});

test("a token works until it has expired or is revoked", () => {
  const at = "2026-11-21T11:00:00.000Z";
  const token: ApiToken = {
    name: "a",
    scopes: ["read"],
    createdAt: at,
    lastUsedAt: null,
    expiresAt: null,
    revokedAt: null,
  };
  expect(stateOf(token, now)).toBe("live");
  expect(stateOf({ ...token, expiresAt: at }, now)).toBe("expired");
  expect(stateOf({ ...token, expiresAt: at, revokedAt: at }, now)).toBe("revoked");
});
