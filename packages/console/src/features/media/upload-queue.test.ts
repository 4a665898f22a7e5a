import {
  array,
  assert,
  boolean,
  constant,
  constantFrom,
  nat,
  oneof,
  property,
  record,
} from "fast-check";
import { expect, test } from "vitest";

import type { MediaItem } from "../../api/types.ts";
import {
  maxConcurrentUploads,
  isActive,
  isSettled,
  nextUploads,
  type UploadAction,
  type UploadItem,
  uploadReducer,
} from "./upload-queue.ts";

const file = (key: string) => ({ key, name: `${key}.jpg`, size: 10, error: null });
const media = { id: 7 } as MediaItem;

function after(...actions: UploadAction[]): readonly UploadItem[] {
  return actions.reduce(uploadReducer, [] as readonly UploadItem[]);
}
const added: UploadAction = { type: "add", items: ["a", "b", "c", "d", "e"].map(file) };

test("three files are sent at once, in order", () => {
  expect(nextUploads(after(added), 0).start).toEqual(["a", "b", "c"]);
  const two = after(added, { type: "start", key: "a" }, { type: "start", key: "b" });
  expect(nextUploads(two, 0).start).toEqual(["c"]);
  const working = uploadReducer(two, {
    type: "progress",
    key: "a",
    status: "working",
    fraction: null,
  });
  expect(nextUploads(working, 0).start).toEqual(["c"]);
  const done = uploadReducer(working, { type: "done", key: "a", media, note: null });
  expect(nextUploads(done, 0).start).toEqual(["c", "d"]);
});

test("a waiting file lets others pass and is due at its time", () => {
  const items = after(
    { type: "add", items: ["a", "b"].map(file) },
    { type: "start", key: "a" },
    { type: "wait", key: "a", until: 5000, note: "Busy" },
  );
  expect(nextUploads(items, 1000)).toEqual({ start: ["b"], lookAgainAt: 5000 });
  expect(nextUploads(items, 5000)).toEqual({ start: ["a", "b"], lookAgainAt: null });
  expect(items[0]).toMatchObject({ status: "queued", note: "Busy", waits: 1 });
});

test("a file refused before sending has failed and can't be retried", () => {
  const items = after({ type: "add", items: [{ ...file("a"), error: "SVG" }] });
  expect(items[0]).toMatchObject({ status: "failed", error: "SVG", canRetry: false });
  expect(uploadReducer(items, { type: "retry", key: "a" })).toEqual(items);
  expect(nextUploads(items, 0).start).toEqual([]);
});

test("Retry queues a failed or cancelled file again as if it were new", () => {
  const failed = after(
    added,
    { type: "start", key: "a" },
    { type: "fail", key: "a", error: "Offline", canRetry: true },
  );
  const again = uploadReducer(failed, { type: "retry", key: "a" });
  expect(again[0]).toEqual(after(added)[0]);
});

test("events after Cancel change nothing", () => {
  const cancelled = after(added, { type: "start", key: "a" }, { type: "cancel", key: "a" });
  for (const action of [
    { type: "progress", key: "a", status: "sending", fraction: 0.5 },
    { type: "done", key: "a", media, note: null },
    { type: "fail", key: "a", error: "x", canRetry: true },
    { type: "wait", key: "a", until: 9, note: "x" },
  ] as const) {
    expect(uploadReducer(cancelled, action)).toEqual(cancelled);
  }
});

test("only finished files can be removed from the list", () => {
  const items = after(added, { type: "cancel", key: "b" });
  const left = uploadReducer(items, { type: "dismiss", keys: ["a", "b"] });
  expect(left.map(({ key }) => key)).toEqual(["a", "c", "d", "e"]);
});

test("in any sequence, at most three are being sent and a finished one has a result", () => {
  const key = constantFrom("a", "b", "c", "d", "e");
  const happening = oneof(
    record({
      type: constant("done" as const),
      key,
      media: constant(media),
      note: constant(null),
    }),
    record({
      type: constant("fail" as const),
      key,
      error: constant("x"),
      canRetry: boolean(),
    }),
    record({
      type: constant("wait" as const),
      key,
      until: nat(10),
      note: constant("x"),
    }),
    record({ type: constant("cancel" as const), key }),
    record({ type: constant("retry" as const), key }),
  );
  assert(
    property(array(happening, { maxLength: 60 }), (happenings) => {
      let items = after(added);
      happenings.forEach((action, now) => {
        items = uploadReducer(items, action);
        for (const next of nextUploads(items, now).start) {
          items = uploadReducer(items, { type: "start", key: next });
        }
        expect(items.filter(isActive).length).toBeLessThanOrEqual(maxConcurrentUploads);
        for (const item of items.filter(isSettled)) {
          expect(item.media !== null).toBe(item.status === "done");
          expect(item.error !== null).toBe(item.status === "failed");
        }
      });
    }),
  );
});
