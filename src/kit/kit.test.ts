import { expect, test } from "vitest";
import { AppError, isDiskFull, toAppError } from "./errors.ts";
import { safeEqual } from "./hash.ts";
import { cleanText } from "./text.ts";
import { newUlid, ulidPattern } from "./ulid.ts";

test("ulids have the standard's form, sort by time and don't repeat", () => {
  const ids = Array.from({ length: 1000 }, (_, i) => newUlid(1_700_000_000_000 + i));
  expect(ids.every((id) => ulidPattern.test(id))).toBe(true);
  expect(ids.toSorted()).toEqual(ids);
  expect(newUlid(1_469_918_176_385).slice(0, 10)).toBe("01ARYZ6S41");
  expect(new Set(Array.from({ length: 1000 }, () => newUlid(0))).size).toBe(1000);
});

test("text is trimmed, composed and free of control characters", () => {
  expect(cleanText("  A\u030Ake\u0000\n\u001b[31m ")).toBe("Åke[31m");
  expect(cleanText("a\r\nb\tc\u0007", { multiline: true })).toBe("a\nb\tc");
});

test("a full disk is recognised through its causes, anything else is internal", () => {
  const full = new Error("write failed", { cause: Object.assign(new Error(), { errcode: 13 }) });
  expect([isDiskFull(full), toAppError(full).code]).toEqual([true, "disk_full"]);
  expect(toAppError(new Error("other")).code).toBe("internal");
  const known = new AppError("conflict", "no");
  expect(toAppError(known)).toBe(known);
});

test("secrets of different length compare without throwing", () => {
  expect([safeEqual("a", "a"), safeEqual("a", "ab")]).toEqual([true, false]);
});
