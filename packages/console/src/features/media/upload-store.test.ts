import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { type Client, ApiError } from "../../api/client.ts";
import type { UploadedMedia } from "../../api/types.ts";
import type { SendOptions, Sent } from "./send-file.ts";
import { makeUploadStore } from "./upload-store.ts";

interface Sending extends SendOptions {
  finish(sent: Sent): void;
  fail(error: Error): void;
}

let sendings: Sending[] = [];
let said: string[] = [];
beforeEach(() => {
  sendings = [];
  said = [];
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

const limits = { imageMiB: 1, videoMiB: 1 };
const image = (name: string, bytes = 3): File =>
  new File([new Uint8Array(bytes)], name, { type: "image/jpeg" });
const stored = (created = true): Sent => ({ media: { id: 7 } as UploadedMedia, created });
const busy = (seconds: number | null): ApiError =>
  new ApiError("unavailable", "The queue is full.", 503, { retryAfter: seconds });

function store() {
  return makeUploadStore<UploadedMedia>({
    client: {} as Client,
    limits,
    announce: (words) => said.push(words),
    send: (options) =>
      new Promise((finish, fail) => {
        sendings.push({ ...options, finish, fail });
        options.signal.addEventListener("abort", () => fail(new DOMException("", "AbortError")));
      }),
  });
}
const flush = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

test("files are sent three at a time, and each is passed on once it is stored", async () => {
  const uploads = store();
  const done: string[] = [];
  const keys = uploads.add(
    ["a.jpg", "b.jpg", "c.jpg", "d.jpg"].map((name) => image(name)),
    {
      alt: "A kiln",
      onDone: (media, key) => done.push(`${key}:${media.id}`),
    },
  );
  expect(sendings.map(({ file }) => file.name)).toEqual(["a.jpg", "b.jpg", "c.jpg"]);
  expect(sendings[0]?.alt).toBe("A kiln");
  sendings[1]?.finish(stored(false));
  await flush();
  expect(sendings).toHaveLength(4);
  expect(done).toEqual([`${keys[1]}:7`]);
  expect(uploads.items()[1]).toMatchObject({
    status: "done",
    note: "It was already in the library.",
  });
  expect(said).toEqual(["b.jpg uploaded."]);
});

test("unsupported files are reported before anything is sent", () => {
  const uploads = store();
  uploads.add([
    new File(["<svg/>"], "logo.svg", { type: "image/svg+xml" }),
    image("big.jpg", 2 ** 20 + 1),
  ]);
  expect(sendings).toHaveLength(0);
  expect(uploads.items().map(({ status, canRetry }) => [status, canRetry])).toEqual([
    ["failed", false],
    ["failed", false],
  ]);
  expect(said[1]).toContain("larger than the limit of 1 MB");
});

test("a busy server is retried after the time that it gives, with increasing pauses", async () => {
  const uploads = store();
  uploads.add([image("a.jpg")]);
  for (const [round, seconds] of [2, 2, 2, 3].entries()) {
    sendings[round]?.fail(busy(2));
    await flush();
    expect(uploads.items()[0]?.status).toBe("queued");
    await vi.advanceTimersByTimeAsync(seconds * 1000 - 50);
    expect(sendings).toHaveLength(round + 1);
    await vi.advanceTimersByTimeAsync(100);
    expect(sendings).toHaveLength(round + 2);
  }
  sendings[4]?.finish(stored());
  await flush();
  expect(uploads.items()[0]).toMatchObject({ status: "done", note: null });
});

test("a permanent failure is shown at once, in the server's words, and can be retried", async () => {
  const uploads = store();
  const [key = ""] = uploads.add([image("a.jpg")]);
  sendings[0]?.fail(busy(null));
  await flush();
  expect(uploads.items()[0]).toMatchObject({
    status: "failed",
    error: "The queue is full.",
    canRetry: true,
  });
  uploads.retry(key);
  expect(sendings).toHaveLength(2);
});

test("a file that the server can't process offers no retry", async () => {
  const uploads = store();
  const [key = ""] = uploads.add([image("a.jpg")]);
  sendings[0]?.fail(new ApiError("bad_media", "It is damaged.", 422));
  await flush();
  uploads.retry(key);
  expect(sendings).toHaveLength(1);
  expect(said).toEqual(["a.jpg failed: It is damaged."]);
});

test("Cancel stops sending and starts the next file; Retry sends it again", async () => {
  const uploads = store();
  const [key = ""] = uploads.add(["a.jpg", "b.jpg", "c.jpg", "d.jpg"].map((name) => image(name)));
  uploads.cancel(key);
  expect(sendings[0]?.signal.aborted).toBe(true);
  await flush();
  expect(uploads.items()[0]?.status).toBe("cancelled");
  expect(sendings).toHaveLength(4);
  sendings[1]?.finish(stored());
  await flush();
  uploads.retry(key);
  expect(sendings[4]?.file.name).toBe("a.jpg");
  expect(sendings[4]?.signal.aborted).toBe(false);
});

test("closing aborts all uploads", () => {
  const uploads = store();
  uploads.add([image("a.jpg"), image("b.jpg")]);
  uploads.close();
  expect(sendings.every(({ signal }) => signal.aborted)).toBe(true);
});

test("a file that took too long can be tried again, a damaged one can't", async () => {
  const uploads = store();
  uploads.add([image("slow.jpg"), image("broken.jpg")]);
  const refusal = (reason: string) =>
    new ApiError("bad_media", "No.", 422, { details: { reason } });
  sendings[0]?.fail(refusal("timeout"));
  sendings[1]?.fail(refusal("corrupt"));
  await flush();
  expect(uploads.items().map(({ canRetry }) => canRetry)).toEqual([true, false]);
});
