import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../../../../../../test/support/eventually.ts";
import { type MediaApp, startMediaApp } from "../../../../../../test/support/media-app.ts";
import { fakeClock } from "../../../../../../test/support/clock.ts";
import { tempFolder } from "../../../../../../test/support/temp.ts";
import { makeDiskQuota } from "../../../platform/disk-quota.ts";
import { run, systemPath } from "../../../platform/process.ts";
import type { Job } from "../schema.ts";

const mebibyte = 1024 * 1024;
const fileBytes = 200 * mebibyte;
/** What waits to be collected counts too: a body in memory as a whole would be beyond it. */
const maxHeld = 120 * mebibyte;

let app: MediaApp;

beforeAll(async () => {
  app = await startMediaApp();
});

afterAll(() => app[Symbol.asyncDispose]());

/** What begins like a video, so that as much as a video may have is received. */
const videoHead = Buffer.concat([
  Buffer.from([0, 0, 0, 24]),
  Buffer.from("ftypisom\0\0\x02\0isomiso2", "latin1"),
]);

/** A line that is reset while more is written has been closed as well: its answer was there before. */
function happened(socket: Socket, event: "close" | "drain"): Promise<void> {
  return new Promise((resolve) => void socket.once(event, resolve));
}

/** A connection that sends `bytes` bytes after `before`, and what came back. */
async function send(head: string[], before: Buffer, bytes: number, after: Buffer): Promise<string> {
  const socket = connect(app.port, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  const closed = happened(socket, "close");
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
  const authorization = `authorization: ${app.bearer["authorization"]}`;
  const length = `content-length: ${before.length + bytes + after.length}`;
  const lines = [...head, "host: localhost", authorization, length, "connection: close"];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  socket.write(before);
  const zeros = Buffer.alloc(mebibyte);
  for (let sent = 0; sent < bytes && !socket.closed; sent += zeros.length) {
    const next = zeros.subarray(0, Math.min(zeros.length, bytes - sent));
    if (!socket.write(next)) await Promise.race([happened(socket, "drain"), closed]);
  }
  socket.write(after);
  await closed;
  return text;
}

/** The most memory outside the heap that buffers took during `work`, beyond what they had before. */
async function maxBuffers(work: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage().arrayBuffers;
  let max = 0;
  const timer = setInterval(() => {
    max = Math.max(max, process.memoryUsage().arrayBuffers - before);
  }, 5);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return max;
}

const form = {
  head: ["POST /api/media/upload HTTP/1.1", "content-type: multipart/form-data; boundary=----b"],
  before: Buffer.concat([
    Buffer.from('------b\r\nContent-Disposition: form-data; name="file"; filename="a.mp4"\r\n\r\n'),
    videoHead,
  ]),
  after: Buffer.from("\r\n------b--\r\n"),
};

test("abuse 52: a form of 200 MB is written to disk and never held in memory as a whole", async () => {
  const max = await maxBuffers(async () => {
    const text = await send(form.head, form.before, fileBytes, form.after);
    expect(text).toMatch(/^HTTP\/1.1 422 /);
  });
  expect(max).toBeLessThan(maxHeld);
  expect((await app.files()).uploads).toEqual([]);
}, 60_000);

test("abuse 52: a resumable upload of 200 MB is written to disk and never held in memory as a whole", async () => {
  const created = await fetch(`${app.url}/api/media/uploads`, {
    method: "POST",
    headers: {
      ...app.bearer,
      "tus-resumable": "1.0.0",
      "upload-length": String(videoHead.length + fileBytes),
    },
  });
  const path = created.headers.get("location") ?? "";
  const head = [
    `PATCH ${path} HTTP/1.1`,
    "tus-resumable: 1.0.0",
    "upload-offset: 0",
    "content-type: application/offset+octet-stream",
  ];
  const max = await maxBuffers(async () => {
    const text = await send(head, videoHead, fileBytes, Buffer.alloc(0));
    expect(text).toMatch(/^HTTP\/1.1 204 /);
    await eventually(async () => {
      const { data } = await app.ask<Job>(path.replace("uploads", "jobs"));
      expect(data).toMatchObject({ status: "failed", error: { code: "bad_media" } });
    }, 30_000);
  });
  expect(max).toBeLessThan(maxHeld);
  await eventually(async () => expect((await app.files()).uploads).toEqual([]));
}, 90_000);

test("a full disk gives 507 for both kinds of upload and leaves nothing", async ({ skip }) => {
  const { uploads } = app.paths;
  const size = ["-t", "tmpfs", "-o", "size=1m", "tmpfs"];
  const mounted = await run("/usr/bin/mount", [...size, uploads], { env: { PATH: systemPath } });
  if (mounted.exitCode !== 0) skip("no file system of its own can be mounted here");
  try {
    const text = await send(form.head, form.before, 4 * mebibyte, form.after);
    expect(text).toMatch(/^HTTP\/1.1 507 /);
    expect(text).toContain("disk_full");
    const created = await fetch(`${app.url}/api/media/uploads`, {
      method: "POST",
      headers: { ...app.bearer, "tus-resumable": "1.0.0", "upload-length": String(4 * mebibyte) },
    });
    expect(created.status).toBe(507);
    expect((await app.files()).uploads).toEqual([]);
  } finally {
    await rm(`${uploads}/tus`, { recursive: true, force: true });
    await run("/usr/bin/umount", [uploads], { env: { PATH: systemPath } });
  }
});

test("abuse 216: an upload that was promised room continues only while there is some", async () => {
  await using folder = await tempFolder();
  const clock = fakeClock(0);
  const quota = makeDiskQuota({ dir: folder.path, maxMiB: 2, clock });
  await using limited = await startMediaApp({ quota });
  const headers = { ...limited.bearer, "tus-resumable": "1.0.0" };
  const created = await fetch(`${limited.url}/api/media/uploads`, {
    method: "POST",
    headers: { ...headers, "upload-length": String(mebibyte) },
  });
  const path = `${limited.url}${created.headers.get("location") ?? ""}`;
  const patch = async (offset: number) => {
    const response = await fetch(path, {
      method: "PATCH",
      headers: {
        ...headers,
        "upload-offset": String(offset),
        "content-type": "application/offset+octet-stream",
      },
      body: new Uint8Array(1000),
    });
    return { status: response.status, text: await response.text() };
  };
  expect(await patch(0)).toMatchObject({ status: 204 });
  // Others have filled the disk.
  await writeFile(join(folder.path, "other"), Buffer.alloc(1.5 * mebibyte, 1));
  clock.advance(60_000);
  expect(await patch(1000)).toMatchObject({
    status: 507,
    text: expect.stringContaining("disk_full"),
  });
  await rm(join(folder.path, "other"));
  clock.advance(60_000);
  expect(await patch(1000)).toMatchObject({ status: 204 });
  // A form that doesn't say how long it is may be as long as a video.
  const body = new Blob(["--x\r\n"]).stream();
  const init = { method: "POST", duplex: "half", body } as RequestInit;
  const type = { "content-type": "multipart/form-data; boundary=x" };
  const endless = await limited.ask("/api/media/upload", { ...init, headers: type });
  expect([endless.status, endless.error.code]).toEqual([507, "disk_full"]);
});
