import { once } from "node:events";
import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Job, MediaItem, MediaList } from "../../packages/server/src/features/media/schema.ts";
import type { ProjectList } from "../../packages/server/src/features/projects/schema.ts";
import { eventually } from "../support/eventually.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";

let instance: TestInstance;
let authorization: string;
/** What the example site brings. */
let filesBefore: string[];
let itemsBefore: number;

beforeAll(async () => {
  instance = await startInstance({ apart: true });
  const made = await instance.vitrine(["api-token", "create", "test", "--scopes", "read,write"]);
  authorization = `Bearer ${String(made["token"])}`;
  filesBefore = await mediaFiles();
  itemsBefore = (await list()).total;
});

afterAll(() => instance[Symbol.asyncDispose]());

/** An image of noise: large enough to be sent and worked on in more than a moment. */
function image(seed: number): Promise<Buffer> {
  const noise = { type: "gaussian" as const, mean: 100 + seed, sigma: 30 };
  const size = { width: 1800, height: 1200, channels: 3 as const };
  return sharp({ create: { ...size, background: "gray", noise } })
    .jpeg({ quality: 90 })
    .toBuffer();
}

async function filesBelow(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  return files.map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1)).toSorted();
}

const mediaFiles = () => filesBelow(join(instance.paths.content, "app/public/media"));
const uploadFiles = () => filesBelow(instance.paths.uploads);

async function ask<T>(path: string, init: RequestInit = {}): Promise<T> {
  const response = await fetch(instance.baseUrl + path, {
    ...init,
    headers: { authorization, "content-type": "application/json" },
  });
  return ((await response.json()) as { data: T }).data;
}

const list = () => ask<MediaList>("/api/media/list?perPage=100");

function tus(method: string, path: string, headers: Record<string, string>, body?: Buffer) {
  return fetch(instance.baseUrl + path, {
    method,
    headers: { authorization, "tus-resumable": "1.0.0", ...headers },
    ...(body ? { body: new Uint8Array(body) } : {}),
  });
}

async function create(length: number): Promise<string> {
  const response = await tus("POST", "/api/media/uploads", { "upload-length": String(length) });
  return response.headers.get("location") ?? "";
}

const patch = (path: string, offset: number, body: Buffer) => {
  const type = "application/offset+octet-stream";
  return tus("PATCH", path, { "upload-offset": String(offset), "content-type": type }, body);
};

/** A connection on which this much of a body has been sent. */
async function start(head: string[], bytes: Buffer): Promise<Socket> {
  const { port, host } = new URL(instance.baseUrl);
  const socket = connect(Number(port), "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  const lines = [...head, `host: ${host}`, `authorization: ${authorization}`];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  socket.write(bytes);
  return socket;
}

/** Kills the web process and waits until another one serves. */
async function kill(): Promise<void> {
  await instance.kill("web");
  await instance.ready();
}

/** Nothing is left of any upload, and the files are those of the items, no more and no less. */
async function settled(): Promise<MediaItem[]> {
  return eventually(async () => {
    expect(await uploadFiles()).toEqual([]);
    const { items, total } = await list();
    const added = items.slice(0, total - itemsBefore);
    const named = added.flatMap(({ src, variants }) => [src, ...variants.map((each) => each.src)]);
    const files = named.map((src) => src.slice("/media/".length));
    expect(await mediaFiles()).toEqual([...filesBefore, ...files].toSorted());
    return added;
  }, 60_000);
}

test("abuse 54: if the server is killed in the middle of a form, no row and no file remain", async () => {
  const file = await image(1);
  const type = "content-type: multipart/form-data; boundary=b";
  const head = ["POST /api/media/upload HTTP/1.1", type, `content-length: ${file.length + 200}`];
  const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n';
  const bytes = Buffer.concat([Buffer.from(part), file.subarray(0, file.length / 2)]);
  const socket = await start(head, bytes);
  await eventually(async () => expect((await uploadFiles()).length).toBe(1));
  await kill();
  socket.destroy();
  expect(await settled()).toEqual([]);
}, 480_000);

test("abuse 54: a resumable upload continues after the server was killed in the middle of it", async () => {
  const file = await image(2);
  const half = Math.floor(file.length / 2);
  const path = await create(file.length);
  const head = [
    `PATCH ${path} HTTP/1.1`,
    "tus-resumable: 1.0.0",
    "upload-offset: 0",
    "content-type: application/offset+octet-stream",
    `content-length: ${file.length}`,
  ];
  const socket = await start(head, file.subarray(0, half));
  const stored = join(instance.paths.uploads, "tus", path.split("/").at(-1) ?? "");
  await eventually(async () => expect((await stat(stored)).size).toBe(half));
  await kill();
  socket.destroy();
  const found = await tus("HEAD", path, {});
  expect(found.headers.get("upload-offset")).toBe(String(half));
  expect((await patch(path, half, file.subarray(half))).status).toBe(204);
  await eventually(async () => {
    const job = await ask<Job>(path.replace("uploads", "jobs"));
    expect(job).toMatchObject({ status: "done", media: { originalBytes: file.length } });
  });
  const [item] = await settled();
  await ask("/api/media/delete", { method: "POST", body: JSON.stringify({ id: item?.id }) });
}, 480_000);

test("abuse 54: if the server is killed at any moment after the last byte, the image is stored once", async () => {
  for (const [round, ms] of [0, 60, 200].entries()) {
    const file = await image(10 + round);
    const path = await create(file.length);
    expect((await patch(path, 0, file)).status).toBe(204);
    await delay(ms);
    await kill();
    const items = await settled();
    expect(items.map(({ originalBytes }) => originalBytes)).toEqual([file.length]);
    await ask("/api/media/delete", { method: "POST", body: JSON.stringify({ id: items[0]?.id }) });
    expect(await settled()).toEqual([]);
  }
}, 480_000);

test("an import killed at any moment leaves whole projects or none, and the next start cleans up", async () => {
  const { paths, dir } = instance;
  const work = join(dir, "../work");
  await mkdir(work);
  for (const name of ["one", "three"]) {
    await writeFile(join(work, `${name}.jpg`), await image(30 + name.length));
    await writeFile(
      join(work, `${name}.md`),
      `---\ntitle: ${name}\ncover: ${name}.jpg\n---\nText\n`,
    );
  }
  await writeFile(join(work, "resume.json"), '{"basics": {"name": "Ada Byron"}}');
  const ours = async () => {
    const { items } = await ask<ProjectList>("/api/adminprojects/list?perPage=100");
    return items.filter(({ slug }) => ["one", "three"].includes(slug));
  };
  const workspaces = async () =>
    (await readdir(paths.workspaces)).filter((n) => n.startsWith("import-"));
  const killAt = async (hasCome: () => Promise<boolean>) => {
    const child = instance.startCommand(["import", work, "--yes"]);
    const ended = once(child, "exit");
    // An import that ends before its time is seen by how it has ended.
    while (child.exitCode === null && !(await hasCome())) await delay(5);
    child.kill("SIGKILL");
    expect((await ended)[1]).toBe("SIGKILL");
    expect((await fetch(`${instance.baseUrl}/`)).status).toBe(200);
  };
  const cleared = async () => {
    await kill();
    expect(await filesBelow(join(paths.data, "import"))).toEqual(["media.lock"]);
    expect(await workspaces()).toEqual([]);
    return settled();
  };
  // While an image is stored; then what is left goes at a start.
  await killAt(async () => (await mediaFiles()).length > filesBefore.length);
  expect([await ours(), await cleared()]).toEqual([[], []]);
  // While the résumé is built; then what is left is the next import's to deal with.
  await killAt(async () => (await workspaces()).length > 0);
  expect(await ours()).toEqual([]);
  // Once the records are in; without the résumé, whose build costs more than it tells here.
  await rm(join(work, "resume.json"));
  await killAt(async () => (await ours()).length > 0);
  expect((await ours()).map(({ cover }) => cover !== null)).toEqual([true, true]);
  expect(await cleared()).toHaveLength(2);
  expect(await instance.vitrine(["import", work])).toMatchObject({
    possible: true,
    projects: [{ action: "same" }, { action: "same" }],
  });
}, 480_000);
