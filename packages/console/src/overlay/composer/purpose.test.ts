import { expect, test } from "vitest";

import { hintOf, purposeOf } from "./purpose.ts";

const readsMessages = true;

test("a running run gets messages, a finished one is changed further, one that is over is past", () => {
  expect(purposeOf(null, "build", false)).toBe("start");
  for (const status of ["queued", "running", "building"] as const) {
    expect(purposeOf({ status, readsMessages }, "build", false)).toBe("say");
  }
  expect(purposeOf({ status: "preview_ready", readsMessages }, "build", false)).toBe("further");
  expect(purposeOf({ status: "publishing", readsMessages }, "build", false)).toBe("wait");
  for (const status of ["published", "discarded", "failed", "cancelled", "interrupted"] as const) {
    expect(purposeOf({ status, readsMessages }, "build", false)).toBe("start");
  }
});

test("a run that reads no messages is waited for, then changed further", () => {
  for (const status of ["queued", "running", "building"] as const) {
    expect(purposeOf({ status, readsMessages: false }, "build", false)).toBe("wait");
  }
  const status = "preview_ready";
  expect(purposeOf({ status, readsMessages: false }, "build", false)).toBe("further");
});

test("a preview stays the same if the owner starts over, or only asks", () => {
  expect(purposeOf({ status: "preview_ready", readsMessages }, "build", true)).toBe("start");
  expect(purposeOf({ status: "preview_ready", readsMessages }, "ask", false)).toBe("start");
});

test("says what Send waits for", () => {
  expect(hintOf("start", 2, null)).toMatch(/uploaded/);
  expect(hintOf("wait", 0, "publishing")).toMatch(/live/);
  expect(hintOf("wait", 0, "building")).toMatch(/finished/);
  expect(hintOf("say", 0, "running")).toMatch(/Enter sends/);
});
