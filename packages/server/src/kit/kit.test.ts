import { expect, test } from "vitest";
import { chooseEncoding } from "./accept-encoding.ts";
import { requestedRange } from "./byte-range.ts";
import { AppError, isDiskFull, toAppError } from "./errors.ts";
import { isUnchanged } from "./etag.ts";
import { safeEqual } from "./hash.ts";
import { jsonDepth } from "./json.ts";
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
  expect(cleanText("photo\u202Egpj.exe \u05D0")).toBe("photogpj.exe \u05D0");
  expect(cleanText("a\r\nb\tc\u0007", { multiline: true })).toBe("a\nb\tc");
  expect(cleanText("half \uD83C")).toBe("half \uFFFD");
});

test("a full disk is recognised through its causes, anything else is internal", () => {
  const full = new Error("write failed", { cause: Object.assign(new Error(), { errcode: 13 }) });
  expect([isDiskFull(full), toAppError(full).code]).toEqual([true, "disk_full"]);
  expect(isDiskFull(Object.assign(new Error(), { code: "53100" }))).toBe(true);
  expect(toAppError(new Error("other")).code).toBe("internal");
  const known = new AppError("conflict", "no");
  expect(toAppError(known)).toBe(known);
});

test("secrets of different length compare without throwing", () => {
  expect([safeEqual("a", "a"), safeEqual("a", "ab")]).toEqual([true, false]);
});

test("codings are chosen by weight, then by size", () => {
  const choose = (header: string | undefined) => chooseEncoding(header, ["br", "gzip"]);
  expect(choose(undefined)).toBe("identity");
  expect(choose("")).toBe("identity");
  expect(choose("gzip, br")).toBe("br");
  expect(choose("gzip;q=1.0, br;q=0.5")).toBe("gzip");
  expect(choose("br;q=0, gzip;q=0")).toBe("identity");
  expect(choose("*")).toBe("br");
  expect(choose("*;q=0")).toBe("identity");
  expect(choose("identity, gzip;q=0.5")).toBe("identity");
  expect(choose("GZIP")).toBe("gzip");
  expect(choose("br;q=nonsense")).toBe("identity");
});

test("one range of bytes is read, anything else stands for the whole file or for none", () => {
  expect(requestedRange("bytes=2-4", 10)).toEqual({ start: 2, end: 4 });
  expect(requestedRange("bytes=-3", 10)).toEqual({ start: 7, end: 9 });
  expect(requestedRange("bytes=10-", 10)).toBe("unsatisfiable");
  for (const whole of [undefined, "nonsense", "lines=1-2", "bytes=0-1,4-5"]) {
    expect(requestedRange(whole, 10)).toBeUndefined();
  }
});

test("an entity tag is compared weakly, and as a whole", () => {
  expect(isUnchanged(undefined, '"a"')).toBe(false);
  for (const same of ["*", '"a"', 'W/"a"', '"b", W/"a"'])
    expect(isUnchanged(same, '"a"')).toBe(true);
  for (const other of ['"ab"', "a", '"b"']) expect(isUnchanged(other, '"a"')).toBe(false);
});

test("the depth of JSON counts lists and objects, not what texts hold", () => {
  const depths = ["1", "[]", '{"a":[{}]}', '"[[["', '["\\"[[", []]'].map(jsonDepth);
  expect(depths).toEqual([0, 1, 3, 0, 2]);
});
