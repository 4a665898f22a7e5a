import { readFile, stat } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import type { FastifyRequest } from "fastify";
import sharp from "sharp";
import { type PreviousUpload, Upload, type UploadOptions } from "tus-js-client";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { beginPatch } from "../../../../../../test/support/begun-upload.ts";
import { eventually } from "../../../../../../test/support/eventually.ts";
import { type MediaApp, startMediaApp } from "../../../../../../test/support/media-app.ts";
import { flatPng } from "../../../../../../test/support/image-bytes.ts";
import { tempFolder } from "../../../../../../test/support/temp.ts";
import { run } from "../../../platform/process.ts";
import type { Job, MediaList } from "../schema.ts";

let app: MediaApp;
let image: Buffer;

beforeAll(async () => {
  app = await startMediaApp({ limits: { imageMiB: 2, videoMiB: 4 } });
  // Noise, so that there is something to send in parts.
  image = await sharp({
    create: {
      width: 500,
      height: 400,
      channels: 3,
      background: "gray",
      noise: { type: "gaussian", mean: 128, sigma: 40 },
    },
  })
    .png()
    .toBuffer();
});

afterAll(() => app[Symbol.asyncDispose]());

afterEach(() => app.clear());

const endpoint = () => `${app.url}/api/media/uploads`;

interface Sending {
  upload: Upload;
  ended: Promise<void>;
}

/** An upload by the real client; `ended` fails with its error. */
function send(file: Buffer, options: Partial<UploadOptions> = {}): Sending {
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  ended.catch(() => {});
  const upload = new Upload(file, {
    endpoint: endpoint(),
    headers: app.bearer,
    metadata: { filename: "Quay at night.png", alt: "A quay" },
    retryDelays: null,
    onSuccess: () => resolve(),
    onError: reject,
    ...options,
  });
  return { upload, ended };
}

async function failureOf({ upload, ended }: Sending) {
  upload.start();
  const error = await ended.then(
    () => undefined,
    (reason: unknown) =>
      reason as { originalResponse?: { getStatus(): number; getBody(): string } },
  );
  const body = error?.originalResponse?.getBody() ?? "{}";
  return { status: error?.originalResponse?.getStatus(), body };
}

const idOf = (upload: Upload) => new URL(upload.url ?? "").pathname.split("/").at(-1) ?? "";

function jobOf(upload: Upload): Promise<Job> {
  return app.ask<Job>(`/api/media/jobs/${idOf(upload)}`).then(({ data }) => data);
}

async function doneJob(upload: Upload): Promise<Job> {
  return eventually(async () => {
    const job = await jobOf(upload);
    expect(job.status).toBe("done");
    return job;
  });
}

/** A request as tus has it. */
function ask(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: Uint8Array<ArrayBuffer>,
) {
  return fetch(app.url + path, {
    method,
    headers: { ...app.bearer, "tus-resumable": "1.0.0", ...headers },
    ...(body === undefined ? {} : { body }),
  });
}

const metadata = (values: Record<string, string>) =>
  Object.entries(values)
    .map(([key, value]) => `${key} ${Buffer.from(value).toString("base64")}`)
    .join(",");

async function create(length: number, values: Record<string, string> = {}): Promise<string> {
  const response = await ask("POST", "/api/media/uploads", {
    "upload-length": String(length),
    "upload-metadata": metadata({ filename: "a.png", ...values }),
  });
  expect(response.status).toBe(201);
  return response.headers.get("location") ?? "";
}

/** Sends a part of the file and breaks the connection off; waits until the server has written it. */
async function sendPart(path: string, bytes: Buffer, of: number): Promise<void> {
  const url = new URL(path, `http://127.0.0.1:${app.port}`);
  const headers = { host: "localhost", ...app.bearer };
  const socket = await beginPatch(url, { bytes, length: of, headers });
  const file = join(app.paths.uploads, "tus", path.split("/").at(-1) ?? "");
  await eventually(async () => expect((await stat(file)).size).toBe(bytes.length));
  socket.destroy();
}

async function resume(path: string): Promise<Sending> {
  const sending = send(image, { uploadUrl: app.url + path });
  sending.upload.start();
  await sending.ended;
  return sending;
}

test("the tus client stores an image in parts, and its job reports it", async () => {
  const progress: number[] = [];
  const { upload, ended } = send(image, {
    chunkSize: 100_000,
    onChunkComplete: (_size, sent) => progress.push(sent),
  });
  upload.start();
  await ended;
  expect(progress.length).toBeGreaterThan(3);
  expect(new URL(upload.url ?? "").pathname).toMatch(/^\/api\/media\/uploads\/[0-9A-Z]{26}$/);
  const job = await doneJob(upload);
  expect(job).toMatchObject({
    created: true,
    error: null,
    media: { originalName: "Quay at night.png", alt: "A quay", originalBytes: image.length },
  });
});

test("a video is uploaded in the same way, and its conversion reports progress", async ({
  skip,
}) => {
  await using folder = await tempFolder();
  const path = join(folder.path, "film.mp4");
  const source = ["-f", "lavfi", "-i", "testsrc2=duration=8:size=640x480:rate=30"];
  const args = ["-v", "error", ...source, "-c:v", "libx264", "-preset", "ultrafast", path];
  const made = await run("/usr/bin/ffmpeg", args).catch(() => ({ exitCode: 1 }));
  if (made.exitCode !== 0) skip("there is no ffmpeg here");
  const sending = send(await readFile(path), { metadata: { filename: "Quay.mp4" } });
  sending.upload.start();
  await sending.ended;
  const seen = new Set<string>();
  const job = await eventually(async () => {
    const { status, progress, ...rest } = await jobOf(sending.upload);
    seen.add(status === "working" && progress !== null ? "progress" : status);
    expect(["done", "failed"]).toContain(status);
    return rest;
  }, 60_000);
  expect(job).toMatchObject({
    error: null,
    media: { kind: "video", mime: "video/mp4", originalName: "Quay.mp4", width: 640 },
  });
  expect([...seen]).toEqual(expect.arrayContaining(["progress", "done"]));
}, 90_000);

test("a creation request can contain the whole file", async () => {
  const { upload, ended } = send(image, { uploadDataDuringCreation: true });
  upload.start();
  await ended;
  expect((await doneJob(upload)).created).toBe(true);
});

test("an upload continues where it was interrupted, even after a restart of the server", async () => {
  const path = await create(image.length);
  const half = Math.floor(image.length / 2);
  await sendPart(path, image.subarray(0, half), image.length);
  const job = () => app.ask<Job>(path.replace("uploads", "jobs"));
  await eventually(async () =>
    expect((await job()).data).toMatchObject({
      status: "receiving",
      progress: half / image.length,
    }),
  );
  const head = await eventually(async () => {
    const response = await ask("HEAD", path);
    expect(response.headers.get("upload-offset")).toBe(String(half));
    return response;
  });
  expect(head.headers.get("upload-length")).toBe(String(image.length));
  await app.restart();
  expect((await job()).data).toMatchObject({
    status: "receiving",
    progress: half / image.length,
  });
  const { upload } = await resume(path);
  expect(await doneJob(upload)).toMatchObject({ media: { originalBytes: image.length } });
});

test("a client that pauses an upload can continue it", async () => {
  const { upload, ended } = send(image, { chunkSize: 100_000 });
  const paused = new Promise<void>((resolve) => {
    upload.options.onChunkComplete = () => void upload.abort().then(resolve);
  });
  upload.start();
  await paused;
  const previous = { uploadUrl: upload.url } as PreviousUpload;
  upload.options.onChunkComplete = null;
  upload.resumeFromPreviousUpload(previous);
  upload.start();
  await ended;
  expect((await doneJob(upload)).created).toBe(true);
});

/** Small to send, and long in the making: what comes right after it finds it under way. */
const slowImage = flatPng(9000, 9000);

test("abuse 54: a fully received upload that wasn't processed before the server ended is processed at the next start", async () => {
  const { upload, ended } = send(slowImage);
  upload.start();
  await ended;
  await app.restart();
  expect(await doneJob(upload)).toMatchObject({ created: true });
  const { data } = await app.ask<MediaList>("/api/media/list");
  expect(data.total).toBe(1);
});

test("a client that missed the last response learns that nothing is missing", async () => {
  const { upload, ended } = send(image);
  upload.start();
  await ended;
  await doneJob(upload);
  const head = await ask("HEAD", new URL(upload.url ?? "").pathname);
  expect(head.status).toBe(200);
  expect(head.headers.get("upload-offset")).toBe(String(image.length));
  await resume(new URL(upload.url ?? "").pathname);
});

test("abuse 48: an upload of another type is refused by its first bytes, with advice", async () => {
  const bmp = Buffer.concat([Buffer.from("BM"), Buffer.alloc(2_000_000)]);
  const sending = send(bmp);
  const { status, body } = await failureOf(sending);
  expect(status).toBe(415);
  expect(JSON.parse(body)).toMatchObject({ ok: false, error: { code: "unsupported_media_type" } });
  expect(await jobOf(sending.upload)).toMatchObject({
    status: "failed",
    error: { code: "unsupported_media_type" },
  });
  expect((await ask("HEAD", new URL(sending.upload.url ?? "").pathname)).status).toBe(404);
});

test("abuse 47: a short file is checked once it is complete", async () => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
  expect((await failureOf(send(svg))).status).toBe(415);
});

test("abuse 52: a length over the limit is refused before any byte, an image's by its first bytes", async () => {
  const video = await failureOf(send(Buffer.alloc(4 * 1024 * 1024 + 1)));
  expect(video.status).toBe(413);
  expect(JSON.parse(video.body)).toMatchObject({ error: { code: "too_large" } });
  const large = Buffer.concat([image, Buffer.alloc(2 * 1024 * 1024)]);
  expect((await failureOf(send(large))).status).toBe(413);
});

test("abuse 52: more bytes than announced are refused", async () => {
  const path = await create(image.length - 1000);
  const response = await ask(
    "PATCH",
    path,
    { "upload-offset": "0", "content-type": "application/offset+octet-stream" },
    new Uint8Array(image),
  );
  expect(response.status).toBe(413);
  expect((await ask("DELETE", path)).status).toBe(204);
});

test("a client can cancel its upload, which leaves nothing", async () => {
  const path = await create(image.length);
  await sendPart(path, image.subarray(0, 5000), image.length);
  await Upload.terminate(app.url + path, { headers: app.bearer });
  expect((await ask("HEAD", path)).status).toBe(404);
  expect((await app.ask(path.replace("uploads", "jobs"))).status).toBe(404);
});

test("canceling an upload that is being processed stops the processing", async () => {
  const { upload, ended } = send(slowImage);
  upload.start();
  await ended;
  const { pathname } = new URL(upload.url ?? "");
  expect((await ask("DELETE", pathname)).status).toBe(204);
  expect((await app.ask(pathname.replace("uploads", "jobs"))).status).toBe(404);
  expect((await app.ask<MediaList>("/api/media/list")).data.total).toBe(0);
});

test("a job of an upload that is being worked on can be cancelled like any other", async () => {
  const { upload, ended } = send(slowImage);
  upload.start();
  await ended;
  const id = idOf(upload);
  const cancelled = await app.post(`/api/media/jobs/${id}/cancel`, {});
  expect(cancelled).toMatchObject({ status: 200, data: { id, cancelled: true } });
  expect((await app.ask(`/api/media/jobs/${id}`)).status).toBe(404);
  expect((await app.ask<MediaList>("/api/media/list")).data.total).toBe(0);
});

test("an unfinished upload expires after a day", async () => {
  const path = await create(image.length);
  await sendPart(path, image.subarray(0, 5000), image.length);
  app.clock.advance(25 * 60 * 60 * 1000);
  await app.restart();
  expect((await ask("HEAD", path)).status).toBe(404);
  expect((await app.files()).uploads).toEqual([]);
});

test.each([
  ["no metadata of ours", { title: "x" }, 400, "bad_request"],
  ["a description that is too long", { alt: "x".repeat(301) }, 422, "validation_failed"],
])("%s: refused", async (_what, values, status, code) => {
  const response = await ask("POST", "/api/media/uploads", {
    "upload-length": "10",
    "upload-metadata": metadata(values),
  });
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ ok: false, error: { code } });
});

test("abuse 51: a path in the metadata is only a name", async () => {
  const path = await create(image.length, { filename: "../../../etc/pa\u0000sswd.png" });
  const { upload } = await resume(path);
  expect((await doneJob(upload)).media).toMatchObject({
    originalName: "passwd.png",
    src: expect.stringMatching(/^\/media\/\d{4}\/[0-9a-f]{12}-passwd\.(jpg|webp)$/),
  });
});

test("abuse 51: an id that is no upload's is nowhere", async () => {
  for (const id of ["..%2f..%2fvitrine", "x", "0".repeat(26), "%00", "tus.json"]) {
    for (const method of ["HEAD", "PATCH", "DELETE"]) {
      const headers = { "upload-offset": "0", "content-type": "application/offset+octet-stream" };
      const response = await ask(method, `/api/media/uploads/${id}`, headers);
      expect([method, id, response.status]).toEqual([method, id, 404]);
    }
  }
});

test("an empty file and an unknown length are refused", async () => {
  const empty = await ask("POST", "/api/media/uploads", { "upload-length": "0" });
  expect(empty.status).toBe(422);
  const typed = await ask("POST", "/api/media/uploads", {
    "upload-length": "10",
    "content-type": "text/plain",
  });
  expect(typed.status).toBe(201);
  const path = typed.headers.get("location") ?? "";
  const foreign = { "upload-offset": "0", "content-type": "image/png" };
  const body = await ask("PATCH", path, foreign, new Uint8Array(10));
  expect(body.status).toBe(415);
  expect((await ask("DELETE", path)).status).toBe(204);
  const open = await ask("POST", "/api/media/uploads", { "upload-defer-length": "1" });
  expect(open.status).toBe(501);
  const unversioned = await ask("POST", "/api/media/uploads", { "tus-resumable": "2.0.0" });
  expect(unversioned.status).toBe(400);
});

test("every answer is guarded and carries the headers of the server and of the protocol", async () => {
  const path = await create(image.length);
  const strange = await fetch(app.url + path, {
    method: "PATCH",
    headers: { "tus-resumable": "1.0.0", "upload-offset": "0" },
  });
  expect(strange.status).toBe(401);
  expect(await strange.json()).toMatchObject({ error: { code: "unauthenticated" } });
  const foreign = await ask("DELETE", path, { authorization: "", origin: "https://evil.example" });
  expect([401, 403]).toContain(foreign.status);
  const head = await ask("HEAD", path);
  for (const response of [strange, head]) {
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("tus-resumable")).toBe("1.0.0");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
  }
  const options = await ask("OPTIONS", "/api/media/uploads");
  expect(options.status).toBe(204);
  expect(options.headers.get("tus-extension")).toBe(
    "creation,creation-with-upload,termination,expiration",
  );
  expect(options.headers.get("tus-max-size")).toBe(String(4 * 1024 * 1024));
  const get = await app.ask(path);
  expect(get).toMatchObject({ status: 405 });
  expect((await ask("DELETE", path)).status).toBe(204);
});

test.each([
  ["in the middle", (whole: number) => whole],
  ["at the end of what it sends", () => 9000],
])("a client that goes %s, before anybody reads, lets its upload go", async (_where, length) => {
  const reached = Promise.withResolvers<FastifyRequest>();
  const answered = Promise.withResolvers<void>();
  await using slow = await startMediaApp({
    prepare(server) {
      server.addHook("onRequest", async (request) => {
        if (request.headers["x-late"] === undefined) return;
        // A listener for its failure would be one who reads.
        const closed = new Promise<void>((done) => void request.raw.once("close", done));
        reached.resolve(request);
        await closed;
      });
      server.addHook("onSend", async (request) => {
        if (request.headers["x-late"] !== undefined) answered.resolve();
      });
    },
  });
  const { url, bearer, port } = slow;
  const headers = { ...bearer, "tus-resumable": "1.0.0" };
  const made = await fetch(`${url}/api/media/uploads`, {
    method: "POST",
    headers: { ...headers, "upload-length": String(image.length) },
  });
  const path = made.headers.get("location") ?? "";
  const dead = connect(port, "127.0.0.1");
  dead.on("error", () => {});
  const head = `PATCH ${path} HTTP/1.1\r\nhost: localhost\r\nx-late: 1\r\nauthorization: ${bearer["authorization"]}\r\ntus-resumable: 1.0.0\r\nupload-offset: 0\r\ncontent-type: application/offset+octet-stream\r\ncontent-length: ${length(image.length)}\r\n\r\n`;
  dead.write(head);
  dead.write(image.subarray(0, 9000));
  const { raw: sent } = await reached.promise;
  await eventually(() => expect(sent.readableLength).toBe(9000));
  dead.destroy();
  await answered.promise;
  const now = await fetch(url + path, { method: "HEAD", headers });
  expect(now.headers.get("upload-offset")).toBe("0");
});

test("a second request takes an upload over from one whose line is dead", async () => {
  const path = await create(image.length);
  const dead = connect(app.port, "127.0.0.1");
  dead.on("error", () => {});
  const head = `PATCH ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: ${app.bearer["authorization"]}\r\ntus-resumable: 1.0.0\r\nupload-offset: 0\r\ncontent-type: application/offset+octet-stream\r\ncontent-length: ${image.length}\r\n\r\n`;
  dead.write(head);
  dead.write(image.subarray(0, 9000));
  const file = join(app.paths.uploads, "tus", path.split("/").at(-1) ?? "");
  await eventually(async () => expect((await stat(file)).size).toBe(9000));
  const { upload } = await resume(path);
  expect((await doneJob(upload)).created).toBe(true);
  dead.destroy();
});

test("what the protocol itself refuses has its status and the envelope", async () => {
  const unversioned = await fetch(endpoint(), { method: "POST", headers: app.bearer });
  expect(unversioned.status).toBe(412);
  expect(unversioned.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(await unversioned.json()).toMatchObject({
    ok: false,
    data: null,
    error: { code: "bad_request", message: "Tus-Resumable Required" },
  });
});
