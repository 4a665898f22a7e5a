import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { type Client, ApiError } from "../../api/client.ts";
import type { UploadedMedia } from "../../api/types.ts";
import { sendPersistently } from "./persistent-send.ts";
import type { SendOptions, Sent } from "./send-file.ts";

const sent: Sent = { media: { id: 7 } as UploadedMedia, created: true };
const offline = (): ApiError => new ApiError("offline", "The connection was lost.");

beforeEach(() => {
  vi.useFakeTimers();
  // The part of a window that is needed here.
  const page = new EventTarget();
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  vi.stubGlobal("dispatchEvent", page.dispatchEvent.bind(page));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function start(send: (options: SendOptions) => Promise<Sent>) {
  const notes: (string | undefined)[] = [];
  const abort = new AbortController();
  const resume = { address: null, job: null };
  const attempt = vi.fn(send);
  const options = {
    file: new File(["x"], "a.mp4"),
    alt: "",
    client: {} as Client,
    signal: abort.signal,
    onProgress: (...[, , note]: Parameters<SendOptions["onProgress"]>) => notes.push(note),
  };
  const result = sendPersistently(options, resume, attempt);
  result.catch(() => {});
  return { notes, abort, attempt, result };
}

test("a lost connection is tried again with pauses that double up to a minute", async () => {
  const { attempt, notes } = start(() => Promise.reject(offline()));
  await vi.advanceTimersByTimeAsync(0);
  for (const [round, seconds] of [1, 2, 4, 8, 16, 32, 60, 60].entries()) {
    await vi.advanceTimersByTimeAsync(seconds * 1000 - 1);
    expect(attempt).toHaveBeenCalledTimes(round + 1);
    await vi.advanceTimersByTimeAsync(1);
    expect(attempt).toHaveBeenCalledTimes(round + 2);
  }
  expect(notes[0]).toContain("continues");
});

test("a browser that is online again continues at once, and progress starts the pauses over", async () => {
  let failures = 4;
  const { attempt, result } = start(async ({ onProgress }) => {
    if (failures === 0) return sent;
    failures -= 1;
    if (failures === 0) onProgress("sending", 0.5);
    throw offline();
  });
  await vi.advanceTimersByTimeAsync(1000 + 2000);
  expect(attempt).toHaveBeenCalledTimes(3);
  dispatchEvent(new Event("online"));
  await vi.advanceTimersByTimeAsync(0);
  expect(attempt).toHaveBeenCalledTimes(4);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await result).toBe(sent);
});

test("a refusal of the server and Cancel end it", async () => {
  const refused = start(() => Promise.reject(new ApiError("bad_media", "It is damaged.", 422)));
  await expect(refused.result).rejects.toThrow("It is damaged.");
  const cancelled = start(() => Promise.reject(offline()));
  await vi.advanceTimersByTimeAsync(0);
  cancelled.abort.abort();
  await expect(cancelled.result).rejects.toThrow(/abort/i);
  await vi.advanceTimersByTimeAsync(100_000);
  expect(cancelled.attempt).toHaveBeenCalledTimes(1);
});
