import { expect, test } from "vitest";

import { ApiError } from "../../api/client.ts";
import type { Connection } from "../../api/event-stream.ts";
import type { RunEvent } from "../../api/types.ts";
import { followRun, type FollowRunOptions } from "./follow-run.ts";

function message(id: number, type: string, data: object): string {
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

interface Outcome {
  asked: string[];
  events: RunEvent[];
  states: Connection[];
  waits: number[];
}

/** Follows a run whose connections answer as scripted: text that arrives and ends, or a failure. */
async function follow(
  connections: (string | Error)[],
  extra: Partial<FollowRunOptions> = {},
): Promise<Outcome> {
  const outcome: Outcome = { asked: [], events: [], states: [], waits: [] };
  const controller = new AbortController();
  await followRun({
    open: async (lastEventId) => {
      outcome.asked.push(lastEventId);
      const next = connections.shift();
      if (next === undefined) controller.abort();
      if (next instanceof Error) throw next;
      return new Response(next ?? "");
    },
    signal: controller.signal,
    onEvents: (events) => outcome.events.push(...events),
    onConnection: (state) => outcome.states.push(state),
    wait: async (milliseconds) => void outcome.waits.push(milliseconds),
    ...extra,
  });
  return outcome;
}

const started = message(1, "run.started", { instruction: "x", model: "m", actor: "Editor" });
const building = message(2, "run.status", { status: "building" });
const finished = message(3, "run.finished", { status: "published" });

test("a broken connection continues after the last event", async () => {
  const outcome = await follow([
    started + building.slice(0, 20),
    building,
    new ApiError("offline", ""),
    finished,
  ]);
  expect(outcome.asked).toEqual(["", "1", "2", "2"]);
  expect(outcome.events.map((event) => event.type)).toEqual([
    "run.started",
    "run.status",
    "run.finished",
  ]);
  expect(outcome.states.at(-1)).toBe("ended");
});

test("the stream of a finished run is read once", async () => {
  const outcome = await follow([started + building + finished]);
  expect(outcome.asked).toEqual([""]);
  expect(outcome.waits).toEqual([]);
});

test("for a run that was over before, what the stream still has is everything", async () => {
  for (const stream of ["retry: 1000\n\n", started + building]) {
    const outcome = await follow([stream], { isOver: () => true });
    expect([outcome.asked, outcome.waits]).toEqual([[""], []]);
    expect(outcome.states).toEqual(["open", "ended"]);
  }
});

test("a run that ends while connected is requested once more", async () => {
  let over = false;
  const outcome = await follow([started, finished], {
    isOver: () => over,
    onConnection: () => (over = true),
  });
  expect(outcome.asked).toEqual(["", "1"]);
  expect(outcome.events.map((event) => event.type)).toEqual(["run.started", "run.finished"]);
});

test("pauses grow with failures, up to 15 s, and the second failure says offline", async () => {
  const failures = Array.from({ length: 8 }, () => new ApiError("offline", ""));
  const outcome = await follow([...failures, finished]);
  expect(outcome.waits).toEqual([500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]);
  expect(outcome.states.slice(0, 2)).toEqual(["connecting", "offline"]);
});

test("an ended session and an unknown run aren't retried", async () => {
  for (const [code, status] of [
    ["unauthenticated", 401],
    ["forbidden", 403],
    ["not_found", 404],
  ] as const) {
    await expect(follow([new ApiError(code, "no", status), finished])).rejects.toMatchObject({
      code,
    });
  }
});

test("a silent connection is closed and opened again", async () => {
  const controller = new AbortController();
  let opened = 0;
  await followRun({
    open: async (_lastEventId, signal) => {
      opened += 1;
      if (opened === 2) return new Response(finished);
      const body = new ReadableStream({
        start: (stream) =>
          signal.addEventListener("abort", () => stream.error(new DOMException("", "AbortError"))),
      });
      return new Response(body);
    },
    signal: controller.signal,
    onEvents: () => {},
    onConnection: () => {},
    wait: async () => {},
    silenceMs: 5,
  });
  expect(opened).toBe(2);
});

test("data that isn't JSON is ignored", async () => {
  const outcome = await follow([`id: 1\nevent: model.text\ndata: {oops\n\n${finished}`]);
  expect(outcome.events.map((event) => event.type)).toEqual(["run.finished"]);
});
