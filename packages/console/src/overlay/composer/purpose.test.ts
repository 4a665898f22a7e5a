import { expect, test } from "vitest";

import { hintOf, purposeOf } from "./purpose.ts";

test("a running run gets messages, a finished one is changed further, one that is over is past", () => {
  expect(purposeOf(null, "build", false)).toBe("start");
  for (const status of ["queued", "running", "building"] as const) {
    expect(purposeOf({ status }, "build", false)).toBe("say");
  }
  expect(purposeOf({ status: "preview_ready" }, "build", false)).toBe("further");
  expect(purposeOf({ status: "publishing" }, "build", false)).toBe("wait");
  for (const status of ["published", "discarded", "failed", "cancelled", "interrupted"] as const) {
    expect(purposeOf({ status }, "build", false)).toBe("start");
  }
});

test("a preview stays the same if the owner starts over, or only asks", () => {
  expect(purposeOf({ status: "preview_ready" }, "build", true)).toBe("start");
  expect(purposeOf({ status: "preview_ready" }, "ask", false)).toBe("start");
});

test("says what Send waits for", () => {
  expect(hintOf("start", 2)).toMatch(/uploaded/);
  expect(hintOf("wait", 0)).toMatch(/live/);
  expect(hintOf("say", 0)).toMatch(/Enter sends/);
});
