import { describe, expect, test } from "vitest";
import { AppError } from "../../kit/errors.ts";
import { checkNewPassword, normalPassword } from "./password.ts";

const owner = { email: "ada.lovelace@example.org", name: "Ada", siteName: "Studio Nord" };

async function problem(password: string): Promise<string | undefined> {
  const error = await checkNewPassword(password, owner).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return error instanceof AppError ? error.fields?.["password"] : undefined;
}

describe("a new password", () => {
  test("has 10 to 256 characters, counted as people count them", async () => {
    expect(await problem("hjr48fkw2")).toBe("must be at least 10 characters");
    expect(await problem("🦊🐻🐼🐨🐯🦁🐮🐷🐸")).toBe("must be at least 10 characters");
    expect(await problem("🦊🐻🐼🐨🐯🦁🐮🐷🐸🐵")).toBeUndefined();
    expect(await problem("xq7 ".repeat(63) + "end.")).toBeUndefined();
    expect(await problem("xq7 ".repeat(64) + "e")).toBe("must be at most 256 characters");
    expect(await problem("ﷺ".repeat(200))).toBe("must be at most 256 characters");
    expect(await problem("x".repeat(5_000_000))).toBe("must be at most 256 characters");
    expect(await problem("two words\nhere")).toBe("must not contain control characters");
    expect(await problem("half a pair \ud800")).toBe("must not contain control characters");
  });

  test("is the same regardless of how its characters are composed", async () => {
    expect(await checkNewPassword("ｆｕｌｌ ｗｉｄｔｈ ﬁre", owner)).toBe("full width fire");
    expect(normalPassword("cafe\u0301")).toBe(normalPassword("caf\u00e9"));
  });

  test("isn't a common password, even with additions", async () => {
    const first = "is one of the most common passwords";
    for (const known of [
      "password123!",
      "Sunshine2026",
      "!!!Baseball!!!",
      "ILoveYou-2000",
      "Football-42",
    ]) {
      expect([known, await problem(known)]).toEqual([known, first]);
    }
  });

  test("isn't a repetition or a sequence", async () => {
    for (const known of ["aaaaaaaaaaaa", "abcabcabcabc", "HorseHorseHorse", "xy7xy7xy7xy7"]) {
      expect([known, await problem(known)]).toEqual([known, "repeats the same characters"]);
    }
    for (const known of [
      "abcdefghij",
      "9876543210",
      "qwertyasdfgh",
      "aaaabbbb1234",
      "1234567890-=",
    ]) {
      expect([known, await problem(known)]).not.toEqual([known, undefined]);
    }
    expect(await problem("lkjhgfdsa321")).toBe("is only a sequence of characters");
  });

  test("doesn't consist of the address or the names", async () => {
    const own = "contains little besides your address, your name or this site's name";
    for (const known of [
      "ada.lovelace@example.org",
      "Lovelace1815!",
      "adalovelace",
      "Studio-Nord-1",
      "nordstudio2026",
      "example.org99",
    ]) {
      expect([known, await problem(known)]).toEqual([known, own]);
    }
    expect(await problem("Lovelace wrote the first loop")).toBeUndefined();
  });

  test("can be any phrase", async () => {
    for (const good of [
      "correct horse battery",
      "tr0ub4dor&3xx",
      "väldigt långt lösen",
      "k9#mQ2vLx1",
    ]) {
      expect([good, await problem(good)]).toEqual([good, undefined]);
    }
  });
});
