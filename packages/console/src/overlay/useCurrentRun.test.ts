import { expect, test } from "vitest";

import type { Run, RunStatus } from "../api/types.ts";
import { chooseRun } from "./useCurrentRun.ts";

function runs(...statuses: RunStatus[]): Run[] {
  return statuses.map((status, index) => ({ id: `${index}`, status, task: null }) as Run);
}

test("a tab stays with its run while that is open, even if there is a newer one", () => {
  expect(chooseRun("1", runs("running", "preview_ready"))).toBe("1");
});

test("a run that is over stays visible until another one waits", () => {
  expect(chooseRun("0", runs("published", "discarded"))).toBe("0");
  expect(chooseRun("1", runs("preview_ready", "published"))).toBe("0");
});

test("a new tab shows the newest run that waits, or none", () => {
  expect(chooseRun(null, runs("published", "preview_ready", "building"))).toBe("1");
  expect(chooseRun(null, runs("published", "failed"))).toBeNull();
});

test("a run that the server no longer knows is dropped", () => {
  expect(chooseRun("gone", runs("published"))).toBeNull();
  expect(chooseRun("gone", [])).toBeNull();
});

test("a run of the queue is shown only to those who chose it", () => {
  const [own, queued] = runs("published", "preview_ready") as [Run, Run];
  const ofTask = { ...queued, task: { id: 41, attempt: 1 } };
  expect(chooseRun(null, [ofTask, own])).toBeNull();
  expect(chooseRun("0", [ofTask, own])).toBe("0");
  expect(chooseRun("1", [ofTask, own])).toBe("1");
});
