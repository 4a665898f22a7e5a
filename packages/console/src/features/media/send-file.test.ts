import { expect, test, vi } from "vitest";

import type { Client } from "../../api/client.ts";
import { pageLeft, sendFile } from "./send-file.ts";

/** Sends a video that the server has received and is converting. */
function follow() {
  const posts: string[] = [];
  const working = { status: "working", progress: 0.5 };
  const get = vi.fn(async () => working);
  const client = {
    get,
    async post(path: string) {
      posts.push(path);
    },
  } as unknown as Client;
  const abort = new AbortController();
  const file = new File(["x"], "a.mp4", { type: "video/mp4" });
  const options = { file, alt: "", client, signal: abort.signal, onProgress() {} };
  const sent = sendFile(options, { address: null, job: "01ABC" });
  sent.catch(() => {});
  return { posts, get, abort, sent };
}

test("Cancel while the server works on a file cancels that as well", async () => {
  const { posts, get, abort, sent } = follow();
  await vi.waitFor(() => expect(get).toHaveBeenCalled());
  abort.abort();
  await expect(sent).rejects.toThrow(/abort/i);
  expect(posts).toEqual(["/api/media/jobs/01ABC/cancel"]);
});

test("to leave the page lets the server finish what it has received", async () => {
  const { posts, get, abort, sent } = follow();
  await vi.waitFor(() => expect(get).toHaveBeenCalled());
  abort.abort(pageLeft);
  await expect(sent).rejects.toBe(pageLeft);
  expect(posts).toEqual([]);
});
