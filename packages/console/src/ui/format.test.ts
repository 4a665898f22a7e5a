import { expect, test } from "vitest";

import { formatCount, formatDuration, formatSize, formatTime } from "./format.ts";

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1000, "1 kB"],
  [214_300, "214 kB"],
  [1_440_000, "1.4 MB"],
  [48_200_000, "48 MB"],
])("%i bytes are %s", (bytes, words) => {
  expect(formatSize(bytes)).toBe(words);
});

test.each([
  [7.4, "0:07"],
  [151, "2:31"],
  [3725, "1:02:05"],
])("%d seconds are %s", (seconds, words) => {
  expect(formatDuration(seconds)).toBe(words);
});

test("times use the site's clock", () => {
  expect(formatTime("2026-11-21T23:30:00.000Z", "Europe/Stockholm")).toBe("22 Nov 2026, 00:30");
  expect(formatTime("2026-11-21T23:30:00.000Z", "Europe/Stockholm", true)).toBe("22 Nov 2026");
  expect(formatTime("never", "UTC")).toBe("never");
});

test("numbers agree with their nouns", () => {
  expect([
    formatCount(1, "image"),
    formatCount(0, "image"),
    formatCount(2, "entry", "entries"),
  ]).toEqual(["1 image", "0 images", "2 entries"]);
});
