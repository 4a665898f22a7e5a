import { expect, test } from "vitest";

import { fromLocalField, toLocalField } from "./time-zone.ts";

const zone = "Europe/Stockholm";

test.each([
  ["2026-01-15T12:00:00.000Z", "2026-01-15T13:00"],
  ["2026-07-15T12:00:00.000Z", "2026-07-15T14:00"],
  ["2026-11-21T23:30:00.000Z", "2026-11-22T00:30"],
])("%s is %s in Stockholm, and back", (iso, field) => {
  expect(toLocalField(iso, zone)).toBe(field);
  expect(fromLocalField(field, zone)).toBe(iso);
});

test("an hour that the clocks skip or repeat is a valid time", () => {
  // 29 March 2026, 02:00 becomes 03:00; 25 October 2026, 03:00 becomes 02:00.
  expect(fromLocalField("2026-03-29T02:30", zone)).toBe("2026-03-29T01:30:00.000Z");
  expect(fromLocalField("2026-10-25T02:30", zone)).toBe("2026-10-25T00:30:00.000Z");
});

test("zones far from UTC, and with fractional offsets, work", () => {
  expect(fromLocalField("2026-06-01T00:15", "Asia/Kathmandu")).toBe("2026-05-31T18:30:00.000Z");
  expect(toLocalField("2026-05-31T11:00:00.000Z", "Pacific/Kiritimati")).toBe("2026-06-01T01:00");
});

test("an invalid time is rejected", () => {
  expect(fromLocalField("", zone)).toBeNull();
  expect(toLocalField("never", zone)).toBe("");
});
