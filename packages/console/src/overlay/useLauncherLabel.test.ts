import { expect, test } from "vitest";

import { launcherState } from "./useLauncherLabel.ts";

const counts = (needsReview: number, running: number) => ({
  needsReview,
  running,
  queued: 0,
  paused: false,
});
const errors = { count: 3, label: "QA errors" };

test("notices about tasks are in their tab", () => {
  expect(launcherState(null, counts(1, 0), errors)).toEqual({
    label: "1 to review · 3 QA errors",
    status: "preview_ready",
    tab: "tasks",
  });
  expect(launcherState(null, counts(0, 2), null)).toMatchObject({
    label: "2 tasks running",
    tab: "tasks",
  });
});

test("the owner's own run comes before the tasks", () => {
  expect(launcherState({ status: "preview_ready" }, counts(1, 0), null)).toEqual({
    label: "Preview ready · 1 to review",
    status: "preview_ready",
    tab: "edit",
  });
  expect(launcherState({ status: "published" }, counts(1, 0), null).tab).toBe("tasks");
});

test("if nothing needs the owner, the last tab stays", () => {
  expect(launcherState(null, null, null)).toEqual({ label: "", status: "", tab: null });
  expect(launcherState(null, counts(0, 0), errors)).toEqual({
    label: "3 QA errors",
    status: "",
    tab: null,
  });
});
