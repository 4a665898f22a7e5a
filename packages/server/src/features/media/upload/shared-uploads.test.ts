import { once } from "node:events";
import { readFile, stat, writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { join } from "node:path";
import { sql } from "kysely";
import { Upload } from "tus-js-client";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import { beginPatch } from "../../../../../../test/support/begun-upload.ts";
import { eventually } from "../../../../../../test/support/eventually.ts";
import { flatPng, noise } from "../../../../../../test/support/image-bytes.ts";
import { type MediaApp, startMediaApp } from "../../../../../../test/support/media-app.ts";
import { type DatabaseMaker, startDialect } from "../../../../../../test/support/postgres.ts";
import {
  type S3Server,
  startS3Server,
} from "../../../../../../test/support/publish-targets/s3-server.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { type ObjectStore, openObjectStore } from "../../../platform/storage/object-store.ts";
import { createLog } from "../../../platform/log.ts";
import type { Job, MediaList } from "../schema.ts";
import type { SharedUploadsOptions } from "./shared-uploads.ts";
import { removeUnusedParts } from "./upload-parts.ts";

let maker: DatabaseMaker;
let store: S3Server;
let db: Db;
let objects: ObjectStore;
let image: Buffer;
/** Two nodes of the instance, each with a folder of its own. */
let one: MediaApp;
let two: MediaApp;

const partBytes = 50_000;
const silentLog = createLog({ level: "silent", name: "test" });

beforeAll(async () => {
  maker = await startDialect("postgres");
  store = await startS3Server();
  const { endpoint, bucket, accessKeyId, secretAccessKey } = store;
  objects = openObjectStore(
    { endpoint, bucket, accessKeyId, secretAccessKey, region: "x", prefix: "", isPathStyle: true },
    { pause: async () => {} },
  );
  image = await noise(500, 400).png().toBuffer();
  ({ db } = (await maker.make()).database);
  one = await startMediaApp(nodeOptions());
  two = await startMediaApp(nodeOptions());
});
afterAll(async () => {
  await one?.[Symbol.asyncDispose]();
  await two?.[Symbol.asyncDispose]();
  await objects?.close();
  await store?.[Symbol.asyncDispose]();
  await maker?.close();
});
afterEach(async () => {
  const { data } = await one.ask<MediaList>("/api/media/list");
  for (const { id } of data.items) await one.post("/api/media/delete", { id });
});

const sharing = (changed: Partial<SharedUploadsOptions> = {}): SharedUploadsOptions => ({
  objects,
  partBytes,
  hasEnded: async () => false,
  ...changed,
});
const nodeOptions = () => ({ limits: { imageMiB: 2 }, db, shared: sharing() });

/** A node that shares nothing until it is started again, with what its settings have then. */
async function startAlone() {
  const settings: Parameters<typeof startMediaApp>[0] = { ...nodeOptions(), shared: null };
  const app = await startMediaApp(settings);
  onTestFinished(() => app[Symbol.asyncDispose]());
  return { app, settings };
}

const ask = (app: MediaApp, method: string, path: string, headers: Record<string, string> = {}) =>
  fetch(app.url + path, {
    method,
    headers: { ...app.bearer, "tus-resumable": "1.0.0", ...headers },
  });

async function create(app: MediaApp, length = image.length): Promise<string> {
  const name = Buffer.from("Quay.png").toString("base64");
  const response = await ask(app, "POST", "/api/media/uploads", {
    "upload-length": String(length),
    "upload-metadata": `filename ${name},alt ${Buffer.from("A quay").toString("base64")}`,
  });
  expect(response.status).toBe(201);
  return response.headers.get("location") ?? "";
}

/** Begins to send a file from an offset, without ending. */
function begin(app: MediaApp, path: string, bytes: Buffer, offset = 0): Promise<Socket> {
  const url = new URL(path, `http://127.0.0.1:${app.port}`);
  const headers = { host: "localhost", ...app.bearer };
  return beginPatch(url, { bytes, offset, length: image.length - offset, headers });
}

/** Sends a part of a file and breaks the connection off when it has arrived. */
async function sendPart(app: MediaApp, path: string, bytes: Buffer): Promise<void> {
  const socket = await begin(app, path, bytes);
  const file = join(app.paths.uploads, "tus", path.split("/").at(-1) ?? "");
  await eventually(async () => expect((await stat(file)).size).toBe(bytes.length));
  socket.destroy();
}

/** How the server answers what was begun. */
async function statusOf(socket: Socket): Promise<number> {
  const [data] = (await once(socket, "data")) as [Buffer];
  return Number(/^HTTP\/1.1 (\d+)/.exec(data.toString())?.[1]);
}

async function offsetOf(app: MediaApp, path: string): Promise<number> {
  const head = await ask(app, "HEAD", path);
  return head.status === 200 ? Number(head.headers.get("upload-offset")) : -head.status;
}

/** Sends the rest with the real client. */
async function resume(app: MediaApp, path: string, file = image): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const options = { uploadUrl: app.url + path, headers: app.bearer, retryDelays: null };
  new Upload(file, { ...options, onSuccess: () => resolve(), onError: reject }).start();
  await promise;
}

const jobPath = (path: string) => path.replace("uploads", "jobs");
const job = (app: MediaApp, path: string) => app.ask<Job>(jobPath(path));

const isDone = (app: MediaApp, path: string) =>
  eventually(async () => {
    const { data } = await job(app, path);
    expect(data.status).toBe("done");
    return data;
  });

/** Waits until nothing of an upload is left in the object store and in the folders of these nodes. */
async function isClean(path: string, ...apps: MediaApp[]): Promise<void> {
  const id = path.split("/").at(-1) ?? "";
  await eventually(async () => {
    const names = [...(await store.objects()).keys()];
    for (const app of apps) names.push(...(await app.files()).uploads);
    expect(names.filter((name) => name.includes(id))).toEqual([]);
  });
}

test("abuse 222: an upload continues on another node, and the first one can't disturb it", async () => {
  const path = await create(one);
  const zombie = await begin(one, path, image.subarray(0, 3 * partBytes));
  const offset = await eventually(async () => {
    const received = await offsetOf(two, path);
    expect(received).toBeGreaterThanOrEqual(partBytes);
    return received;
  });
  expect((await job(two, path)).data).toMatchObject({
    status: "receiving",
    progress: expect.closeTo(offset / image.length, 1),
  });
  await resume(two, path);
  const result = await isDone(two, path);
  expect(result).toMatchObject({
    media: { originalName: "Quay.png", alt: "A quay", originalBytes: image.length },
  });
  expect((await job(one, path)).data).toEqual(result);
  zombie.write(image.subarray(3 * partBytes));
  expect(await statusOf(zombie)).toBe(409);
  // A client that missed the last answer learns that nothing is missing.
  expect(await offsetOf(one, path)).toBe(image.length);
  expect((await one.ask<MediaList>("/api/media/list")).data.total).toBe(1);
  await isClean(path, one, two);
});

test("abuse 222: of two requests on two nodes, one gets 409", async () => {
  const path = await create(one);
  const first = await begin(one, path, image.subarray(0, 1000));
  await eventually(async () => {
    const { rows } = await sql<{
      writer: string | null;
    }>`select writer from stored_upload where ended_at is null`.execute(db);
    expect(rows[0]?.writer).not.toBeNull();
  });
  const second = await begin(two, path, image);
  expect(await statusOf(second)).toBe(204);
  first.write(image.subarray(1000));
  expect(await statusOf(first)).toBe(409);
  expect(await isDone(one, path)).toMatchObject({ media: { originalBytes: image.length } });
  await isClean(path, one, two);
});

test("a broken connection loses nothing that has arrived, also not of a file's first bytes", async () => {
  const path = await create(one);
  await sendPart(one, path, image.subarray(0, 1000));
  await eventually(async () => expect(await offsetOf(two, path)).toBe(1000));
  await resume(two, path);
  expect(await isDone(one, path)).toMatchObject({ created: true });
});

test("abuse 223: what the object store doesn't take isn't acknowledged, and can be sent again", async () => {
  const path = await create(one);
  await sendPart(one, path, image.subarray(0, 1000));
  await eventually(async () => expect(await offsetOf(one, path)).toBe(1000));
  store.refuse(1000, 503);
  const refused = await begin(one, path, image.subarray(1000), 1000);
  expect(await statusOf(refused)).toBe(503);
  expect(await offsetOf(two, path)).toBe(1000);
  store.refuse(0, 0);
  await resume(two, path);
  await isDone(two, path);
  // A request that was given up may still reach the store, so its row leads there until the next day.
  await eventually(async () => expect(await partsOf(path)).toEqual([0]));
  await sql`update stored_upload_part set created_at = '2020-01-01T00:00:00.000Z'`.execute(db);
  await removeUnusedParts({ db, objects, log: silentLog }, new AbortController().signal);
  expect(await partsOf(path)).toEqual([]);
});

/** For each row of an upload's parts, whether the part is complete. */
async function partsOf(path: string): Promise<number[]> {
  const id = path.split("/").at(-1);
  const { rows } = await sql<{
    is_complete: number;
  }>`select is_complete from stored_upload_part where upload_id = ${id}`.execute(db);
  return rows.map(({ is_complete }) => is_complete);
}

/** Makes parts that no upload needs. */
async function addUnusedParts(...names: string[]): Promise<void> {
  for (const name of names) {
    await store.put(`uploads/gone/${name}`, "part");
    await sql`insert into stored_upload_part (object_key, upload_id, position, bytes, sha256, is_complete, created_at)
      values (${`uploads/gone/${name}`}, 'gone', 0, 4, 'x', 1, '2020-01-01T00:00:00.000Z')`.execute(
      db,
    );
  }
}

test("abuse 225: an object that can't be removed doesn't keep others", async () => {
  await addUnusedParts("a", "stuck", "b");
  const remove = async (key: string) => {
    if (key.endsWith("stuck")) throw new Error("stuck");
    await objects.remove(key);
  };
  const parts = { db, objects: { ...objects, remove }, log: silentLog };
  await removeUnusedParts(parts, new AbortController().signal);
  expect([...(await store.objects("uploads/gone/")).keys()]).toEqual(["stuck"]);
  expect(await partsOf("gone")).toEqual([1]);
  await removeUnusedParts({ ...parts, objects }, new AbortController().signal);
  expect(await partsOf("gone")).toEqual([]);
});

test("abuse 223: a node starts without the object store, and does later what needs it", async () => {
  const { app: first, settings } = await startAlone();
  const path = await create(first);
  await sendPart(first, path, image.subarray(0, 3 * partBytes));
  await eventually(async () => expect(await offsetOf(first, path)).toBe(3 * partBytes));
  await addUnusedParts("a", "b");
  settings.shared = sharing({ retryMs: 20 });
  store.refuse(1_000_000, 503);
  await first.restart();
  await eventually(() => expect(first.logged()).toContain("isn't shared yet"));
  expect(await offsetOf(two, path)).toBe(0);
  store.refuse(0, 0);
  await eventually(async () => expect(await offsetOf(two, path)).toBe(3 * partBytes));
  await resume(first, path);
  await isDone(two, path);
  await isClean(path, first, two);
  await isClean("gone");
});

test("an upload that began in a folder isn't brought back once it is cancelled or a day old", async () => {
  const { app: first, settings } = await startAlone();
  const cancelled = await create(first);
  await sendPart(first, cancelled, image.subarray(0, 1000));
  const old = await create(first);
  await sendPart(first, old, image.subarray(0, 1000));
  await eventually(async () => expect(await offsetOf(first, old)).toBe(1000));
  const description = join(first.paths.uploads, "tus", `${old.split("/").at(-1)}.json`);
  const upload = JSON.parse(await readFile(description, "utf8"));
  await writeFile(
    description,
    JSON.stringify({ ...upload, creation_date: "2020-01-01T00:00:00Z" }),
  );
  settings.shared = sharing();
  store.refuse(1_000_000, 503);
  await first.restart();
  expect(await offsetOf(two, old)).toBe(-404);
  await eventually(() => expect(first.logged()).toContain("an upload isn't shared yet"));
  expect((await ask(two, "DELETE", cancelled)).status).toBe(204);
  store.refuse(0, 0);
  await first.restart();
  await isClean(cancelled, first);
  await isClean(old, first);
  expect(await offsetOf(two, cancelled)).toBe(-404);
});

test("a complete upload is cancelled on any node while the one that has it still stores it", async () => {
  const { app: first, settings } = await startAlone();
  const [path, partial] = [await create(first), await create(first)];
  const fileOf = (at: string) => join(first.paths.uploads, "tus", at.split("/").at(-1) ?? "");
  // As a node leaves it that is killed before it begins to process what has arrived.
  await writeFile(fileOf(path), image);
  await writeFile(fileOf(partial), image.subarray(0, 1000));
  settings.shared = sharing({ retryMs: 20 });
  store.refuse(1_000_000, 503);
  await first.restart();
  await eventually(() => expect(first.logged()).toContain("an upload isn't shared yet"));
  await eventually(async () => {
    expect(await job(two, path)).toMatchObject({ data: { status: "waiting" } });
    expect(await job(two, partial)).toMatchObject({ data: { status: "receiving" } });
  });
  expect((await two.post(`${jobPath(path)}/cancel`, {})).status).toBe(200);
  expect((await two.post(`${jobPath(partial)}/cancel`, {})).status).toBe(404);
  expect((await ask(two, "DELETE", partial)).status).toBe(204);
  store.refuse(0, 0);
  await eventually(async () => expect((await job(first, path)).status).toBe(404));
  await isClean(path, first);
  await isClean(partial, first);
  expect((await two.ask<MediaList>("/api/media/list")).data.total).toBe(0);
});

test("an upload is cancelled while its parts are gathered, also if they can't be had", async () => {
  const reached = Promise.withResolvers<void>();
  const get: typeof objects.get = (_key, { signal }) => {
    reached.resolve();
    const { promise, reject } = Promise.withResolvers<never>();
    signal?.addEventListener("abort", () => reject(new Error("aborted")));
    return promise;
  };
  const settings = { ...nodeOptions(), shared: sharing({ objects: { ...objects, get } }) };
  const third = await startMediaApp(settings);
  onTestFinished(() => third[Symbol.asyncDispose]());
  const path = await create(one);
  await sendPart(one, path, image.subarray(0, 2 * partBytes));
  await eventually(async () => expect(await offsetOf(two, path)).toBe(2 * partBytes));
  await resume(third, path);
  await reached.promise;
  expect((await third.post(`${jobPath(path)}/cancel`, {})).status).toBe(200);
  expect((await job(one, path)).status).toBe(404);
  await isClean(path, third);
});

test("abuse 222: what is cancelled on another node isn't stored, even at the last moment", async () => {
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const onChange = async () => {
    reached.resolve();
    await gate.promise;
  };
  const third = await startMediaApp({ ...nodeOptions(), onChange });
  onTestFinished(() => third[Symbol.asyncDispose]());
  const path = await create(third);
  await resume(third, path);
  await reached.promise;
  expect((await one.post(`${jobPath(path)}/cancel`, {})).status).toBe(200);
  gate.resolve();
  await eventually(async () => expect((await job(third, path)).status).toBe(404));
  expect((await one.ask<MediaList>("/api/media/list")).data.total).toBe(0);
  await isClean(path, one, third);
  expect((await third.files()).media).toEqual([]);
});

test("what is stored can't be cancelled, on any node", async () => {
  const path = await create(two);
  await resume(two, path);
  await isDone(one, path);
  expect(await one.post(`${jobPath(path)}/cancel`, {})).toMatchObject({
    status: 409,
    error: { code: "invalid_state" },
  });
});

test("once the instance has left the object store, uploads wait for the restart", async () => {
  let isOver = false;
  const settings = { ...nodeOptions(), shared: sharing({ hasEnded: async () => isOver }) };
  const third = await startMediaApp(settings);
  onTestFinished(() => third[Symbol.asyncDispose]());
  const path = await create(third);
  isOver = true;
  expect(await statusOf(await begin(third, path, image))).toBe(503);
  const response = await ask(third, "POST", "/api/media/uploads", { "upload-length": "1000" });
  expect(response.status).toBe(503);
  expect((await ask(third, "DELETE", path)).status).toBe(204);
});

test("abuse 224: a complete upload whose node is gone is processed by another one", async () => {
  const third = await startMediaApp(nodeOptions());
  const large = flatPng(9000, 9000);
  const path = await create(third, large.length);
  await resume(third, path, large);
  await third[Symbol.asyncDispose]();
  expect((await job(two, path)).data.status).toBe("waiting");
  await sql`update stored_upload set holder = 'gone', held_until = '2020-01-01T00:00:00.000Z' where ended_at is null`.execute(
    db,
  );
  await two.restart();
  expect(await isDone(two, path)).toMatchObject({ media: { originalBytes: large.length } });
  await isClean(path, two);
});

test("a file that isn't accepted is refused everywhere, and nothing of it stays", async () => {
  const path = await create(one);
  const text = Buffer.alloc(image.length, "text");
  const sent = await begin(one, path, text);
  expect(await statusOf(sent)).toBe(415);
  expect((await job(two, path)).data).toMatchObject({
    status: "failed",
    error: { code: "unsupported_media_type" },
  });
  expect(await offsetOf(two, path)).toBe(-404);
  await isClean(path, one, two);
});

test("an upload can be cancelled on any node", async () => {
  const path = await create(one);
  await sendPart(one, path, image.subarray(0, 2 * partBytes));
  await eventually(async () => expect(await offsetOf(two, path)).toBeGreaterThan(partBytes));
  expect((await ask(two, "DELETE", path)).status).toBe(204);
  expect(await offsetOf(one, path)).toBe(-404);
  expect((await job(one, path)).status).toBe(404);
  await one.restart();
  await isClean(path, one, two);
});

test("abuse 225: an unfinished upload expires after a day with its parts, those of a killed node too", async () => {
  const path = await create(one);
  await sendPart(one, path, image.subarray(0, 2 * partBytes));
  await eventually(async () => expect(await offsetOf(one, path)).toBe(2 * partBytes));
  // What a node leaves that is killed while it stores a part.
  await store.put(`uploads/${path.split("/").at(-1)}/abandoned`, "part");
  await sql`insert into stored_upload_part (object_key, upload_id, position, bytes, sha256, is_complete, created_at)
    select 'uploads/' || id || '/abandoned', id, received, 4, 'x', 0, '2020-01-01T00:00:00.000Z' from stored_upload where ended_at is null`.execute(
    db,
  );
  await one.restart();
  expect(await offsetOf(one, path)).toBe(2 * partBytes);
  await sql`update stored_upload set created_at = '2020-01-01T00:00:00.000Z' where ended_at is null`.execute(
    db,
  );
  await one.restart();
  await eventually(async () => expect(await offsetOf(one, path)).toBe(-404));
  await isClean(path, one);
});

test("an upload that began in a folder continues when the nodes begin to share", async () => {
  const { app: first, settings } = await startAlone();
  const path = await create(first);
  await sendPart(first, path, image.subarray(0, 3 * partBytes));
  await eventually(async () => expect(await offsetOf(first, path)).toBe(3 * partBytes));
  const called = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const put: typeof objects.put = async (key, source) => {
    called.resolve();
    await gate.promise;
    await objects.put(key, source);
  };
  settings.shared = sharing({ objects: { ...objects, put } });
  await first.restart();
  // Clients know that it exists before everything is stored.
  expect(await offsetOf(two, path)).toBe(0);
  await called.promise;
  expect(await statusOf(await begin(first, path, image))).toBe(503);
  gate.resolve();
  await eventually(async () => expect(await offsetOf(two, path)).toBe(3 * partBytes));
  await resume(two, path);
  expect(await isDone(first, path)).toMatchObject({
    media: { originalName: "Quay.png", alt: "A quay" },
  });
});
