import { expect, test } from "vitest";

import type { Connection } from "../../api/event-stream.ts";
import type { Run, RunEvent } from "../../api/types.ts";
import { emptyRunMessage } from "./empty-run.ts";
import { applyEvents, applyRecord } from "./run-reducer.ts";
import { emptyView } from "./run-view.ts";

const record = {
  instruction: "Say hello",
  status: "published",
  steps: 4,
  filesChanged: [{ path: "app/src/pages/index.astro", added: 1, removed: 0 }],
  checks: null,
  error: null,
} as unknown as Run;
const finished: RunEvent = { type: "run.finished", data: { status: "published" } };
const messageOf: RunEvent = { type: "model.text", data: { text: "Hello" } };

/** A run as it is shown after these events. */
function shown(events: RunEvent[], run: Run = record, connection: Connection = "ended") {
  return { run, view: applyEvents(applyRecord(emptyView, run), events, 1), connection };
}

test("says that the steps of an old run have been deleted", () => {
  for (const events of [[], [finished]]) {
    expect(emptyRunMessage(shown(events))).toBe("The steps of this run have been deleted.");
  }
});

test("says nothing if there are steps, or before everything has loaded", () => {
  expect(emptyRunMessage(shown([messageOf, finished]))).toBeNull();
  expect(emptyRunMessage(shown([], record, "open"))).toBeNull();
  expect(emptyRunMessage({ ...shown([]), run: null })).toBeNull();
});

test("a run that was stopped while it waited never had any", () => {
  const stopped = { ...record, status: "cancelled", steps: 0, filesChanged: [] } as Run;
  const end: RunEvent = { type: "run.finished", data: { status: "cancelled" } };
  expect(emptyRunMessage(shown([end], stopped))).toBe("The run ended before its first step.");
});
