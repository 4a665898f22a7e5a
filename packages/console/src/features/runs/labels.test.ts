import { expect, test } from "vitest";

import {
  formatRelativeTime,
  changeSummary,
  formatMilliseconds,
  firstLine,
  isActive,
  isOpen,
  pageName,
  splitPath,
  runStatusLabel,
  silenceLabel,
} from "./labels.ts";
import { emptyView, type RunView } from "./run-view.ts";

test("a duration is readable", () => {
  expect(formatMilliseconds(40)).toBe("0.1 s");
  expect(formatMilliseconds(1234)).toBe("1.2 s");
  expect(formatMilliseconds(9960)).toBe("10 s");
  expect(formatMilliseconds(59_700)).toBe("1 min");
  expect(formatMilliseconds(64_000)).toBe("1 min 4 s");
});

test("a page is named by its address, the home page by its name", () => {
  expect(["/", "/about/"].map(pageName)).toEqual(["Home page", "/about/"]);
});

test("changes are counted over all files", () => {
  expect(changeSummary([])).toBe("No files changed");
  expect(changeSummary([{ path: "a", added: 1, removed: 0 }])).toBe("1 file, +1 −0");
  expect(
    changeSummary([
      { path: "a", added: 4, removed: 5 },
      { path: "b", added: 5, removed: 0 },
    ]),
  ).toBe("2 files, +9 −5");
  const field = { path: "projects/harbour-map/metrics", added: 1, removed: 1 };
  expect(changeSummary([field])).toBe("1 change, +1 −1");
});

test("a waiting preview is open but not active", () => {
  expect(isActive("preview_ready")).toBe(false);
  expect(isOpen("preview_ready")).toBe(true);
  expect(isOpen("published")).toBe(false);
  expect(runStatusLabel("interrupted")).toBe("Stopped");
});

test("times grow coarser with age", () => {
  const now = Date.parse("2026-11-21T12:00:00.000Z");
  expect(formatRelativeTime("2026-11-21T11:59:40.000Z", now)).toBe("just now");
  expect(formatRelativeTime("2026-11-21T11:15:00.000Z", now)).toBe("45 min ago");
  expect(formatRelativeTime("2026-11-21T02:00:00.000Z", now)).toBe("10 h ago");
  expect(formatRelativeTime("2026-11-02T12:00:00.000Z", now)).toBe("2 Nov 2026");
  expect(formatRelativeTime("nonsense", now)).toBe("");
});

test("paths and messages are cut where they should be", () => {
  expect(splitPath("app/src/pages/about.astro")).toEqual({
    folder: "app/src/pages/",
    name: "about.astro",
  });
  expect(splitPath("README")).toEqual({ folder: "", name: "README" });
  expect(firstLine("\n\n  Unknown component\n at x")).toBe("Unknown component");
});

test("silence is shown with its length, and a model that stays silent ends the run", () => {
  const waiting: RunView = { ...emptyView, status: "running", model: "sonnet" };
  expect(silenceLabel(waiting, 6300)).toBe("Waiting for the model… 6 s");
  expect(silenceLabel(waiting, 64_000)).toBe(
    "Waiting for the model… 1 min 4 s. Without an answer it ends after 2 min.",
  );
  const call = { callId: "c", title: "Reading", error: null, startedAt: 0, durationMs: null };
  const explore = { kind: "explore", key: "i0", calls: [{ ...call, state: "running" }] } as const;
  const reading: RunView = { ...waiting, items: [{ ...explore, calls: [...explore.calls] }] };
  for (const view of [
    reading,
    { ...waiting, model: "literal" },
    { ...waiting, status: "building" as const },
  ]) {
    expect(silenceLabel(view, 40_000)).toBe("Still working… 40 s");
  }
});
