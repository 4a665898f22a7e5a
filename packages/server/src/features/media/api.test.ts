import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import sharp from "sharp";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { removeTree } from "../../platform/files.ts";
import { createApiToken } from "../admin-auth/api-tokens.ts";
import { type MediaApp, startMediaApp } from "../../../../../test/support/media-app.ts";
import type {
  DescribedMedia,
  Job,
  ListedMedia,
  MediaItem,
  MediaList,
  UploadedMedia,
} from "./schema.ts";

let app: MediaApp;

beforeAll(async () => {
  app = await startMediaApp();
});

afterAll(() => app[Symbol.asyncDispose]());
afterEach(() => app.clear());

async function store(seed: number, name: string, alt = ""): Promise<MediaItem> {
  const background = { r: seed, g: 200, b: 90 };
  const create = { width: 40, height: 30, channels: 3 as const, background };
  const file = await sharp({ create }).png().toBuffer();
  const form = new FormData();
  form.append("alt", alt);
  form.append("file", new Blob([new Uint8Array(file)]), name);
  const { status, data } = await app.upload<UploadedMedia>(form);
  expect(status).toBe(201);
  app.clock.advance(1000);
  return data;
}

async function use(item: MediaItem): Promise<void> {
  await sql`
    insert into project (id, slug, name, status, position, created_at, updated_at)
    values (7, 'quay', 'Quay', 'draft', 1, '', '')`.execute(app.db);
  await sql`insert into project_media (project_id, media_id) values (7, ${item.id})`.execute(
    app.db,
  );
}

const unused = () => sql`delete from project where id = 7`.execute(app.db);

const fileOf = (item: { src: string }) => `/api/media/file${item.src.slice("/media".length)}`;

function fetchFile(path: string, headers: Record<string, string> = {}, method = "GET") {
  return fetch(app.url + path, { method, headers: { ...app.bearer, ...headers } });
}

test("the list is newest first, paged, searchable, filtered by kind, and names the projects that use each item", async () => {
  const first = await store(1, "harbour.png", "Cranes");
  const second = await store(2, "quay.png");
  await use(first);
  const all = await app.ask<MediaList>("/api/media/list");
  expect(all.data).toMatchObject({
    total: 2,
    page: 1,
    perPage: 25,
    items: [
      { id: second.id, usedBy: [] },
      { id: first.id, usedBy: [{ id: 7, name: "Quay" }] },
    ],
  });
  const page = await app.ask<MediaList>("/api/media/list?perPage=1&page=2");
  expect(page.data).toMatchObject({ total: 2, items: [{ id: first.id }] });
  const found = await app.ask<MediaList>("/api/media/list?q=CRANES&kind=image");
  expect(found.data).toMatchObject({ total: 1, items: [{ id: first.id }] });
  expect((await app.ask<MediaList>("/api/media/list?kind=video")).data.total).toBe(0);
  expect((await app.ask("/api/media/list?kind=sound")).status).toBe(422);
  expect((await app.ask("/api/media/list?sort=x")).status).toBe(422);
  await unused();
});

test("the list is sorted by date, name, or size", async () => {
  const stored = [await store(1, "b.png"), await store(2, "A.png"), await store(3, "c.png")];
  const [b, a, c] = stored.map(({ id }) => id);
  await sql`update media set bytes = 10 * id where id <> ${b}`.execute(app.db);
  await sql`update media set bytes = 1000000 where id = ${b}`.execute(app.db);
  const sorted = async (sort: string, page = "") => {
    const list = await app.ask<MediaList>(`/api/media/list?sort=${sort}${page}`);
    return list.data.items.map(({ id }) => id);
  };
  expect(await sorted("newest")).toEqual([c, a, b]);
  expect(await sorted("oldest")).toEqual([b, a, c]);
  expect(await sorted("name")).toEqual([a, b, c]);
  expect(await sorted("size")).toEqual([b, c, a]);
  expect(await sorted("name", "&perPage=2&page=2")).toEqual([c]);
});

test("a focal point is stored in percent; it is the center until it is set", async () => {
  const item = await store(1, "a.png");
  expect(item.focalPoint).toEqual({ x: 50, y: 50 });
  const focalPoint = { x: 0, y: 100 };
  const set = await app.post<MediaItem>("/api/media/update", { id: item.id, focalPoint });
  expect(set.data).toEqual({ ...item, focalPoint });
  for (const wrong of [{ x: -1, y: 0 }, { x: 0, y: 101 }, { x: 0.5, y: 0 }, { x: 1 }, "50 50"]) {
    const refused = await app.post("/api/media/update", { id: item.id, focalPoint: wrong });
    expect(refused.status).toBe(422);
  }
  expect((await app.ask<ListedMedia>(`/api/media/get?id=${item.id}`)).data.focalPoint).toEqual(
    focalPoint,
  );
});

test("several images are described at once: all of them, or none", async () => {
  const [first, second] = [await store(1, "a.png", "old"), await store(2, "b.png")];
  const describe = (items: unknown) => app.post<DescribedMedia>("/api/media/describe", { items });
  const texts = [
    { id: first.id, alt: " A quay  ", isDecorative: false },
    { id: second.id, alt: "", isDecorative: true },
  ];
  const described = await describe(texts);
  expect(described.data.items).toEqual([
    { ...first, alt: "A quay" },
    { ...second, isDecorative: true },
  ]);
  const unknown = { id: 999, alt: "", isDecorative: false };
  const missing = await describe([{ ...texts[0], alt: "lost" }, unknown]);
  expect(missing.status).toBe(404);
  expect((await app.ask<ListedMedia>(`/api/media/get?id=${first.id}`)).data.alt).toBe("A quay");
  for (const items of [
    [],
    [texts[0], texts[0]],
    [{ id: first.id, alt: "x" }],
    [{ ...texts[0], alt: "x".repeat(301) }],
    Array.from({ length: 101 }, (_, index) => ({ ...unknown, id: index + 1 })),
  ]) {
    expect((await describe(items)).status).toBe(422);
  }
});

test("one item is returned, and a missing one is not found", async () => {
  const item = await store(3, "a.png");
  const found = await app.ask<ListedMedia>(`/api/media/get?id=${item.id}`);
  expect(found.data).toEqual({ ...item, usedBy: [] });
  expect(found.headers.get("cache-control")).toBe("no-store");
  expect((await app.ask("/api/media/get?id=999")).status).toBe(404);
  expect((await app.ask("/api/media/get?id=x")).status).toBe(422);
});

test("a description and a name are changed, cleaned, and limited", async () => {
  const item = await store(4, "a.png", "before");
  const alt = "  The\u0000 quay\n at night ";
  const changed = await app.post<MediaItem>("/api/media/update", { id: item.id, alt });
  expect(changed.data).toEqual({ ...item, alt: "The quay at night" });
  const named = await app.post<MediaItem>("/api/media/update", { id: item.id, originalName: "b" });
  expect(named.data.originalName).toBe("b");
  for (const [body, field] of [
    [{ id: item.id, alt: "x".repeat(301) }, "alt"],
    // One sign of Hebrew with two points is three when composed: what is stored is bounded.
    [{ id: item.id, alt: "\uFB2C".repeat(300) }, "alt"],
    [{ id: item.id, originalName: " " }, "originalName"],
    [{ id: item.id }, "alt"],
    [{ id: item.id, alt: "", src: "/x" }, "src"],
    [{ id: "1", alt: "" }, "id"],
  ] as const) {
    const refused = await app.post("/api/media/update", body);
    expect(refused).toMatchObject({ status: 422, error: { code: "validation_failed" } });
    expect(Object.keys(refused.error.fields ?? {})).toEqual([field]);
  }
  expect((await app.post("/api/media/update", { id: 999, alt: "" })).status).toBe(404);
});

test("images without alt text can be listed; decorative ones aren't among them", async () => {
  const described = await store(1, "described", "A quay");
  const mute = await store(2, "mute");
  const ornament = await store(3, "ornament");
  const missing = async () => {
    const { data } = await app.ask<MediaList>("/api/media/list?alt=missing");
    return data.items.map(({ id }) => id);
  };
  expect(await missing()).toEqual([ornament.id, mute.id]);
  expect([described.isDecorative, ornament.isDecorative]).toEqual([false, false]);
  const change = { id: ornament.id, isDecorative: true };
  expect((await app.post<MediaItem>("/api/media/update", change)).data).toEqual({
    ...ornament,
    isDecorative: true,
  });
  expect(await missing()).toEqual([mute.id]);
  const wrong = await app.post("/api/media/update", { ...change, isDecorative: "yes" });
  expect(wrong.status).toBe(422);
});

test("an item that a project uses isn't deleted; an unused one is deleted with its files", async () => {
  const item = await store(5, "a.png");
  await use(item);
  const retained = await app.post("/api/media/delete", { id: item.id });
  expect(retained).toMatchObject({
    status: 409,
    error: {
      code: "in_use",
      details: { projects: [{ id: 7, name: "Quay" }], files: [], runs: [] },
    },
  });
  await unused();
  const gone = await app.post("/api/media/delete", { id: item.id });
  expect(gone.data).toEqual({ id: item.id, deleted: true });
  expect(await app.files()).toEqual({ uploads: [], media: [] });
  expect((await app.post("/api/media/delete", { id: item.id })).status).toBe(404);
});

test("a stored file is served whole, in ranges, as unchanged, and with headers only", async () => {
  const item = await store(6, "a.png");
  const whole = await fetchFile(fileOf(item));
  const body = Buffer.from(await whole.arrayBuffer());
  expect([whole.status, body.length]).toEqual([200, item.bytes]);
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    "content-type": item.mime,
    "content-length": String(item.bytes),
    "cache-control": "private, max-age=31536000, immutable",
    "x-content-type-options": "nosniff",
    "accept-ranges": "bytes",
  });
  const part = await fetchFile(fileOf(item), { range: "bytes=10-19" });
  expect(part.status).toBe(206);
  expect(part.headers.get("content-range")).toBe(`bytes 10-19/${item.bytes}`);
  expect(Buffer.from(await part.arrayBuffer())).toEqual(body.subarray(10, 20));
  const beyond = await fetchFile(fileOf(item), { range: `bytes=${item.bytes}-` });
  expect([beyond.status, beyond.headers.get("content-range")]).toEqual([
    416,
    `bytes */${item.bytes}`,
  ]);
  const etag = whole.headers.get("etag") ?? "";
  expect((await fetchFile(fileOf(item), { "if-none-match": etag })).status).toBe(304);
  const stale = await fetchFile(fileOf(item), { range: "bytes=0-1", "if-range": '"other"' });
  expect(stale.status).toBe(200);
  const head = await fetchFile(fileOf(item), {}, "HEAD");
  expect([head.status, head.headers.get("content-length")]).toEqual([200, String(item.bytes)]);
});

test("abuse 51: only regular files created by the pipeline are served", async () => {
  const dir = join(app.paths.content, "app/public/media");
  await mkdir(join(dir, "2020"), { recursive: true });
  await writeFile(join(dir, "2020/page.html"), "<script>");
  await writeFile(join(dir, "2020/Upper.jpg"), "x");
  await writeFile(join(app.paths.content, "secret.jpg"), "secret");
  await symlink("../../../../secret.jpg", join(dir, "2020/link.jpg"));
  await symlink("2020", join(dir, "2021"));
  await writeFile(join(dir, "2020/real.jpg"), "real");
  await mkdir(join(dir, "2020/folder.jpg"));
  expect((await fetchFile("/api/media/file/2020/real.jpg")).status).toBe(200);
  for (const path of [
    "2020/page.html",
    "2020/Upper.jpg",
    "2020/link.jpg",
    "2021/real.jpg",
    "2020/folder.jpg",
    "2020/gone.jpg",
    "2020/..%2freal.jpg",
    "..%2f/secret.jpg",
    `2020/${"x".repeat(200)}.jpg`,
  ]) {
    expect([path, (await fetchFile(`/api/media/file/${path}`)).status]).toEqual([path, 404]);
  }
  // No address has a control character in it.
  expect((await fetchFile("/api/media/file/2020/real.jpg%00")).status).toBe(422);
  await removeTree(dir);
});

test("signed-out clients get nothing, and a read-only token changes nothing", async () => {
  const { db, clock } = app;
  const { token } = await createApiToken({ db, clock, name: "reader", scopes: ["read"] });
  const reader = { authorization: `Bearer ${token}` };
  const item = await store(8, "a.png");
  const reading = ["list", `get?id=${item.id}`, "jobs", fileOf(item).slice("/api/media/".length)];
  for (const path of reading) {
    expect([path, (await fetch(`${app.url}/api/media/${path}`)).status]).toEqual([path, 401]);
    expect([path, (await fetchFile(`/api/media/${path}`, reader)).status]).toEqual([path, 200]);
  }
  for (const path of ["upload", "update", "delete", "uploads"]) {
    const url = `${app.url}/api/media/${path}`;
    expect([path, (await fetch(url, { method: "POST" })).status]).toEqual([path, 401]);
    expect([path, (await fetch(url, { method: "POST", headers: reader })).status]).toEqual([
      path,
      403,
    ]);
  }
});

test("an unknown job is not found", async () => {
  expect((await app.ask("/api/media/jobs/01ARZ3NDEKTSV4RRFFQ69G5FAV")).status).toBe(404);
  expect((await app.ask("/api/media/jobs/x")).status).toBe(404);
});

test("jobs are listed newest first and removed an hour after they end", async () => {
  await store(9, "first.png");
  await store(10, "second.png");
  const { data } = await app.ask<{ items: Job[] }>("/api/media/jobs");
  expect(data.items.slice(0, 2).map(({ media }) => media?.originalName)).toEqual([
    "second.png",
    "first.png",
  ]);
  expect((await app.ask<Job>(`/api/media/jobs/${data.items[0]?.id}`)).data).toEqual(data.items[0]);
  const second = await app.ask("/api/media/jobs?page=2&perPage=1");
  expect(second.data).toMatchObject({ items: [data.items[1]], page: 2, perPage: 1 });
  app.clock.advance(60 * 60 * 1000);
  expect((await app.ask<{ items: Job[] }>("/api/media/jobs")).data.items).toEqual([]);
});
