import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import type { FastifyRequest } from "fastify";
import sharp from "sharp";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { eventually } from "../../../../../../test/support/eventually.ts";
import { flatPng } from "../../../../../../test/support/image-bytes.ts";
import { type MediaApp, startMediaApp } from "../../../../../../test/support/media-app.ts";
import type { Job, UploadedMedia } from "../schema.ts";

let app: MediaApp;
let png: Buffer;

beforeAll(async () => {
  app = await startMediaApp({ limits: { imageMiB: 2, videoMiB: 4 } });
  png = await image(1);
});

afterAll(() => app[Symbol.asyncDispose]());

/** Whatever a test uploaded is gone before the next one looks; nothing may lie in the uploads. */
afterEach(() => app.clear());

function image(seed: number): Promise<Buffer> {
  const background = { r: seed * 20, g: 120, b: 40 };
  return sharp({ create: { width: 64, height: 48, channels: 3, background } })
    .png()
    .toBuffer();
}

/** A form of one file, and what else it has. */
function form(file: Uint8Array, name = "picture.png", fields: Record<string, string> = {}) {
  const data = new FormData();
  for (const [key, value] of Object.entries(fields)) data.append(key, value);
  data.append("file", new Blob([new Uint8Array(file)]), name);
  return data;
}

const boundary = "----boundary";

function part(disposition: string, content: string | Uint8Array = "", type = ""): Buffer {
  const head = `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n`;
  const line = type ? `Content-Type: ${type}\r\n` : "";
  return Buffer.concat([
    Buffer.from(`${head}${line}\r\n`),
    Buffer.from(content),
    Buffer.from("\r\n"),
  ]);
}

/** Sends these parts as they stand. */
function raw<T>(...parts: Buffer[]) {
  const body = Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
  const headers = { "content-type": `multipart/form-data; boundary=${boundary}` };
  return app.ask<T>("/api/media/upload", { method: "POST", headers, body });
}

const filePart = () => part('name="file"; filename="a.png"', png, "image/png");

interface Line {
  socket: Socket;
  text(): string;
  closed: Promise<unknown>;
}

/** A line that is reset while more is written has been closed as well: its answer was there before. */
function happened(socket: Socket, event: "close" | "drain"): Promise<void> {
  return new Promise((resolve) => void socket.once(event, resolve));
}

/** A connection on which an upload has begun, its body in chunks or of the length given. */
async function start(
  length: number | null,
  headers: Record<string, string> = app.bearer,
  port = app.port,
) {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
  socket.on("error", () => {});
  const line: Line = { socket, text: () => text, closed: happened(socket, "close") };
  const given = Object.entries({
    host: "localhost",
    "content-type": `multipart/form-data; boundary=${boundary}`,
    ...(length === null ? { "transfer-encoding": "chunked" } : { "content-length": `${length}` }),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST /api/media/upload HTTP/1.1\r\n${given.join("")}\r\n`);
  return line;
}

function chunked(bytes: Uint8Array): Buffer {
  return Buffer.concat([
    Buffer.from(`${bytes.length.toString(16)}\r\n`),
    bytes,
    Buffer.from("\r\n"),
  ]);
}

/** Sends zeros in chunks until the server has closed the line; gives how many bytes went out. */
async function sendForever({ socket, closed }: Line): Promise<number> {
  const zeros = chunked(new Uint8Array(64 * 1024));
  while (!socket.closed) {
    if (!socket.write(zeros)) await Promise.race([happened(socket, "drain"), closed]);
    await new Promise(setImmediate);
  }
  return socket.bytesWritten;
}

test("an image is stored with its form's texts, and the same bytes again are the same item", async () => {
  const fields = { alt: " A quay\u0000 at night ", name: "Quay.png" };
  const first = await app.upload<UploadedMedia>(form(png, "IMG_1.PNG", fields));
  expect(first.status).toBe(201);
  expect(first.data).toMatchObject({
    kind: "image",
    width: 64,
    height: 48,
    originalName: "Quay.png",
    alt: "A quay at night",
    originalBytes: png.length,
  });
  const second = await app.upload<UploadedMedia>(form(png, "other.png"));
  expect(second.status).toBe(200);
  expect(second.data.id).toBe(first.data.id);
  const { data } = await app.ask<{ items: Job[] }>("/api/media/jobs");
  expect(data.items.slice(0, 2)).toMatchObject([
    { status: "done", created: false, media: { id: first.data.id } },
    { status: "done", created: true, media: { id: first.data.id } },
  ]);
});

test("a second upload of the same file fills in what the first left empty", async () => {
  await app.upload(form(png));
  const described = await app.upload<UploadedMedia>(form(png, "a.png", { alt: "A quay" }));
  expect([described.status, described.data.alt]).toEqual([200, "A quay"]);
  const again = await app.upload<UploadedMedia>(form(png, "a.png", { alt: "Something else" }));
  expect(again.data.alt).toBe("A quay");
});

test("fields may come after the file", async () => {
  const response = await raw<UploadedMedia>(filePart(), part('name="alt"', "later"));
  expect(response.data).toMatchObject({ alt: "later", originalName: "a.png" });
});

test.each([
  ["nobody", {}, 401, "unauthenticated"],
  ["another site's page", { cookie: "x=1", origin: "https://evil.example" }, 403, "bad_origin"],
])("%s is refused before any of the body is read", async (_who, headers, status, code) => {
  const line = await start(1_000_000, headers);
  await eventually(() => expect(line.text()).toContain("\r\n\r\n{"));
  expect(line.text()).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(line.text()).toContain(code);
  expect(line.text()).toMatch(/connection: close/i);
  line.socket.destroy();
});

test("an upload that is cancelled while it is processed leaves nothing", async () => {
  const id = "01JZ5T9K3M8Q2W4E6R7Y1V0XBC";
  const headers = { ...app.bearer, "upload-id": id };
  const address = `${app.url}/api/media/upload`;
  // Large enough to be worked on for a while.
  const body = form(flatPng(8000, 8000));
  const upload = fetch(address, { method: "POST", headers, body });
  await eventually(async () => {
    const { data } = await app.ask<Job>(`/api/media/jobs/${id}`);
    expect(data.status).toBe("working");
  });
  const again = await fetch(address, { method: "POST", headers, body: form(png) });
  expect(again.status).toBe(400);
  const cancelled = await app.post(`/api/media/jobs/${id}/cancel`, {});
  expect(cancelled).toMatchObject({ status: 200, data: { id, cancelled: true } });
  expect((await upload).status).toBe(409);
  expect(await app.files()).toEqual({ uploads: [], media: [] });
  expect((await app.ask(`/api/media/jobs/${id}`)).status).toBe(404);
  expect((await app.post(`/api/media/jobs/${id}/cancel`, {})).status).toBe(404);
});

test("an upload whose sender has stopped in the middle can be cancelled", async () => {
  const id = "01JZ5T9K3M8Q2W4E6R7Y1V0XBE";
  const line = await start(1_000_000, { ...app.bearer, "upload-id": id });
  line.socket.write(part('name="file"; filename="a.png"', png));
  await eventually(async () => {
    const { data } = await app.ask<Job>(`/api/media/jobs/${id}`);
    expect(data.progress).toBeGreaterThan(0);
  });
  expect((await app.post(`/api/media/jobs/${id}/cancel`, {})).status).toBe(200);
  await eventually(() => expect(line.text()).toMatch(/^HTTP\/1.1 409 /));
  expect(await app.files()).toEqual({ uploads: [], media: [] });
  line.socket.destroy();
});

test("what is stored already can't be cancelled any more", async () => {
  const id = "01JZ5T9K3M8Q2W4E6R7Y1V0XBD";
  const headers = { "upload-id": id };
  await app.ask("/api/media/upload", { method: "POST", headers, body: form(png) });
  const late = await app.post(`/api/media/jobs/${id}/cancel`, {});
  expect(late).toMatchObject({ status: 409, error: { code: "invalid_state" } });
  const invalid = { "upload-id": "../1" };
  const refused = await app.ask("/api/media/upload", {
    method: "POST",
    headers: invalid,
    body: form(png),
  });
  expect(refused).toMatchObject({ status: 400, error: { code: "bad_request" } });
});

test("while the queue is full, an image is refused before its body is received", async () => {
  await using small = await startMediaApp({ limits: { queue: 0 } });
  const beginning = part('name="file"; filename="a.png"', Buffer.concat([png, Buffer.alloc(6000)]));
  const lines: Line[] = [];
  const begin = async () => {
    const line = await start(1_000_000, small.bearer, small.port);
    line.socket.write(beginning);
    lines.push(line);
    return line;
  };
  const arriving = (count: number) =>
    eventually(async () => {
      const { data } = await small.ask<{ items: Job[] }>("/api/media/jobs");
      const some = data.items.filter(
        ({ status, progress }) => status === "receiving" && (progress ?? 0) > 0,
      );
      expect(some).toHaveLength(count);
    });
  // As many as are converted at the same time.
  const first = await begin();
  await begin();
  await arriving(2);
  const third = await begin();
  await eventually(() => expect(third.text()).toMatch(/^HTTP\/1.1 503 /));
  expect(third.text()).toMatch(/retry-after: 10/i);
  first.socket.destroy();
  await arriving(1);
  const next = await begin();
  await arriving(2);
  expect(next.text()).toBe("");
  for (const { socket } of lines) socket.destroy();
});

test.each([
  ["SVG", '<svg xmlns="http://www.w3.org/2000/svg"/>'],
  ["HTML", "<!doctype html><title>x</title><script>alert(1)</script>"],
])("abuse 47: %s named .png is refused by its bytes", async (_what, text) => {
  const response = await app.upload(form(Buffer.from(text), "picture.png"));
  expect(response).toMatchObject({ status: 415, error: { code: "unsupported_media_type" } });
});

test("abuse 48: an unsupported format is refused with advice", async () => {
  const bmp = Buffer.concat([Buffer.from("BM"), Buffer.alloc(9000)]);
  const response = await app.upload(form(bmp, "picture.png"));
  expect(response).toMatchObject({ status: 415, error: { code: "unsupported_media_type" } });
  expect(response.error.message).toContain("BMP");
});

test("abuse 48: only the beginning of a refused file is received", async () => {
  const line = await start(3_000_000);
  line.socket.write(
    part('name="file"; filename="a.png"', Buffer.concat([Buffer.from("BM"), Buffer.alloc(5000)])),
  );
  await eventually(() => expect(line.text()).toContain("unsupported_media_type"));
  expect(line.text()).toMatch(/^HTTP\/1.1 415 /);
  expect(await app.files()).toEqual({ uploads: [], media: [] });
  line.socket.destroy();
});

test.each([
  ["a path", "../../../etc/passwd", "passwd"],
  ["a Windows path", "..\\..\\boot.png", "boot.png"],
  ["NUL", "a\u0000b.png", "ab.png"],
  ["a page's name", "page.astro", "page.astro"],
  ["an option's name", "-i", "-i"],
  ["4 KB", `${"x".repeat(4096)}.png`, "x".repeat(255)],
  ["dots", "..", "untitled"],
  ["letters of the world", "Kräuter 日本.png", "Kräuter 日本.png"],
])("abuse 51: %s as the file's name never becomes a path", async (_what, name, retained) => {
  const response = await raw<UploadedMedia>(
    part(`name="file"; filename="${name.replaceAll("\\", "\\\\")}"`, png, "image/png"),
  );
  expect(response.status).toBe(201);
  expect(response.data.originalName).toBe(retained);
  expect(response.data.src).toMatch(/^\/media\/\d{4}\/[0-9a-f]{12}-[a-z0-9-]{1,40}\.(jpg|webp)$/);
  const { media } = await app.files();
  expect(media).toContain(response.data.src.slice("/media/".length));
});

test("abuse 52: an endless body is refused with 413 and leaves nothing", async () => {
  const line = await start(null);
  const head = Buffer.concat([png.subarray(0, 33), Buffer.alloc(8192)]);
  line.socket.write(chunked(part('name="file"; filename="a.png"', head).subarray(0, -2)));
  const sent = await sendForever(line);
  expect(line.text()).toMatch(/^HTTP\/1.1 413 /);
  expect(line.text()).toContain("An image can be at most 2 MiB.");
  // The bound, what is thrown away so that the answer arrives, and what lies in buffers.
  expect(sent).toBeLessThan(40 * 1024 * 1024);
  expect(await app.files()).toEqual({ uploads: [], media: [] });
});

test("abuse 52: an endless text field is refused with 413", async () => {
  const line = await start(null);
  line.socket.write(chunked(part('name="alt"', "x").subarray(0, -2)));
  await sendForever(line);
  expect(line.text()).toMatch(/^HTTP\/1.1 413 /);
});

test("abuse 52: a length that is too large is refused before the body", async () => {
  const line = await start(10 * 1024 * 1024);
  await eventually(() => expect(line.text()).toMatch(/^HTTP\/1.1 413 /));
  line.socket.destroy();
});

test("abuse 52: a client that reads only after sending everything gets the response", async () => {
  const file = Buffer.concat([Buffer.from("BM"), Buffer.alloc(3_500_000)]);
  const body = Buffer.concat([
    part('name="file"; filename="a.png"', file),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
  const line = await start(body.length);
  line.socket.pause();
  line.socket.write(body);
  await eventually(() => expect(line.socket.writableLength).toBe(0));
  line.socket.resume();
  await line.closed;
  expect(line.text()).toMatch(/^HTTP\/1.1 415 /);
  expect(line.text()).toMatch(/"code":"unsupported_media_type".*\}$/);
});

test.each([
  ["an unknown field", [part('name="title"', "x")], "title"],
  ["__proto__", [part('name="__proto__"', "x")], "__proto__"],
  ["a file called constructor", [part('name="constructor"; filename="a.png"', "x")], "constructor"],
  ["a nested name", [part('name="alt[deep]"', "x")], "alt[deep]"],
  ["a second text", [part('name="alt"', "x"), part('name="alt"', "y")], "alt"],
  ["a file as a text", [part('name="alt"; filename="a.txt"', "x")], "alt"],
  ["a name that is a tree", [part('name="name"', '{"a":{}}', "application/json")], "name"],
])("abuse 53: %s is refused by its name", async (_what, parts, field) => {
  for (const all of [
    [...parts, filePart()],
    [filePart(), ...parts],
  ]) {
    const response = await raw(...all);
    expect(response).toMatchObject({ status: 400, error: { code: "bad_request" } });
    expect(Object.keys(response.error.fields ?? {})).toEqual([field]);
  }
});

test("abuse 53: a second file, a text instead of a file, and no file are refused", async () => {
  for (const parts of [
    [filePart(), filePart()],
    [part('name="file"', "x")],
    [part('name="alt"', "x")],
    [],
  ]) {
    const response = await raw(...parts);
    expect(response).toMatchObject({ status: 400, error: { code: "bad_request" } });
    expect(Object.keys(response.error.fields ?? {})).toEqual(["file"]);
  }
});

test("texts that are too long and an empty file are refused", async () => {
  const long = await app.upload(form(png, "a.png", { alt: "x".repeat(301) }));
  expect(long).toMatchObject({ status: 422, error: { code: "validation_failed" } });
  expect(Object.keys(long.error.fields ?? {})).toEqual(["alt"]);
  const endless = await app.upload(form(png, "a.png", { name: "x".repeat(100_000) }));
  expect(Object.keys(endless.error.fields ?? {})).toEqual(["name"]);
  const empty = await app.upload(form(new Uint8Array(), "a.png"));
  expect(empty).toMatchObject({
    status: 422,
    error: { fields: { file: "The file is empty. Choose another." } },
  });
});

test.each([
  ["JSON", "application/json", "{}"],
  ["a form without files", "application/x-www-form-urlencoded", "a=b"],
  ["the bare picture", "image/png", "x"],
])("%s isn't an upload", async (_what, type, body) => {
  const response = await app.ask("/api/media/upload", {
    method: "POST",
    headers: { "content-type": type },
    body,
  });
  expect(response).toMatchObject({ status: 415, error: { code: "unsupported_media_type" } });
});

test("a form without a boundary, or one that ends too early, is malformed", async () => {
  const bare = await app.ask("/api/media/upload", {
    method: "POST",
    headers: { "content-type": "multipart/form-data" },
    body: "x",
  });
  expect(bare).toMatchObject({ status: 400, error: { code: "bad_request" } });
  const cut = await app.ask("/api/media/upload", {
    method: "POST",
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
    body: filePart().subarray(0, -20),
  });
  expect(cut).toMatchObject({ status: 400, error: { code: "bad_request" } });
});

test("a client that disconnects in the middle leaves neither a file nor a job", async () => {
  const before = (await app.ask<{ items: Job[] }>("/api/media/jobs")).data.items.length;
  const line = await start(1_000_000);
  line.socket.write(
    part('name="file"; filename="a.png"', Buffer.concat([png, Buffer.alloc(20_000)])),
  );
  await eventually(async () => expect((await app.files()).uploads).toHaveLength(1));
  const during = (await app.ask<{ items: Job[] }>("/api/media/jobs")).data.items;
  expect(during[0]).toMatchObject({ status: "receiving", media: null, error: null });
  line.socket.destroy();
  await eventually(async () => {
    expect((await app.files()).uploads).toEqual([]);
    const { data } = await app.ask<{ items: Job[] }>("/api/media/jobs");
    expect(data.items).toHaveLength(before);
  });
});

test.each([
  ["in the middle of a form", 1000],
  ["at the end of a form", 0],
])(
  "a client that disconnects %s, before anything is read, leaves nothing",
  async (_where, missing) => {
    const reached = Promise.withResolvers<FastifyRequest>();
    const refused = Promise.withResolvers<void>();
    await using slow = await startMediaApp({
      prepare(server) {
        server.addHook("onRequest", async (request) => {
          if (request.method !== "POST") return;
          // A listener for its failure would be one who reads.
          const closed = new Promise<void>((done) => void request.raw.once("close", done));
          reached.resolve(request);
          await closed;
        });
        server.addHook("onError", async () => refused.resolve());
      },
    });
    const body = Buffer.concat([filePart(), Buffer.from(`--${boundary}--\r\n`)]);
    const line = await start(body.length + missing, slow.bearer, slow.port);
    line.socket.write(body);
    const { raw: sent } = await reached.promise;
    await eventually(() => expect(sent.readableLength).toBe(body.length));
    line.socket.destroy();
    await refused.promise;
    await eventually(async () => expect(await readdir(slow.paths.uploads)).toEqual(["tus"]));
    const { data } = await slow.ask<{ items: Job[] }>("/api/media/jobs");
    expect(data.items).toEqual([]);
  },
);

test("other routes still accept only JSON", async () => {
  const response = await app.ask("/api/media/update", { method: "POST", body: form(png) });
  expect(response).toMatchObject({ status: 415, error: { code: "unsupported_media_type" } });
});

test("an image that can't be decoded is refused with the reason, and its job has failed", async () => {
  const response = await app.upload(form(png.subarray(0, 60), "cut.png"));
  expect(response).toMatchObject({ status: 422, error: { code: "bad_media" } });
  const { data } = await app.ask<{ items: Job[] }>("/api/media/jobs");
  expect(data.items[0]).toMatchObject({
    status: "failed",
    media: null,
    error: { code: "bad_media" },
  });
});

test("without ffmpeg, a video is refused by its first bytes, with what to install; images work", async () => {
  await using plain = await startMediaApp({ searchPath: "/nonexistent" });
  const head = Buffer.from("000000206674797069736f6d0000020069736f6d69736f3261766331", "hex");
  const video = Buffer.concat([head, Buffer.alloc(8192)]);
  const upload = (body: FormData) =>
    plain.ask<UploadedMedia>("/api/media/upload", { method: "POST", body });
  expect(await upload(form(video, "film.mp4"))).toMatchObject({
    status: 503,
    error: { code: "unavailable", message: expect.stringMatching(/apt-get install ffmpeg/) },
  });
  expect((await upload(form(png))).status).toBe(201);
});
