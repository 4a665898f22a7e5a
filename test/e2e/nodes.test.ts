import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Job, UploadedMedia } from "../../packages/server/src/features/media/schema.ts";
import type { ProjectDetail } from "../../packages/server/src/features/projects/schema.ts";
import { beginPatch } from "../support/begun-upload.ts";
import { type AdminClient, signIn } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { noise } from "../support/image-bytes.ts";
import type { TestInstance } from "../support/instance.ts";
import { type Nodes, startNodes } from "../support/nodes.ts";
import { tempFolder } from "../support/temp.ts";

/** Builds, one after the other, on a busy machine. */
const timeoutMs = 180_000;

let nodes: Nodes;
let one: TestInstance;
let two: TestInstance;
let admin: AdminClient;
/** The same session at the other node. */
let other: AdminClient;

beforeAll(async () => {
  nodes = await startNodes();
  one = await nodes.add();
  two = await nodes.add();
  admin = await signIn(one);
  other = at(two);
}, 300_000);

afterAll(async () => {
  await nodes?.[Symbol.asyncDispose]();
});

const ask = async (url: string, init: RequestInit = {}) =>
  fetch(url, { ...init, headers: { cookie: admin.cookie, ...init.headers } });

/** The admin's client of another node. */
function at({ baseUrl }: TestInstance): AdminClient {
  const json = { "content-type": "application/json" };
  const read = async (response: Promise<Response>) => (await (await response).json()) as never;
  return {
    ...admin,
    get: (path) => read(ask(baseUrl + path)),
    post: (path, body) =>
      read(ask(baseUrl + path, { method: "POST", headers: json, body: JSON.stringify(body) })),
  };
}

const page = async (node: TestInstance, path = "/") => (await fetch(node.baseUrl + path)).text();

/** Waits until a page of a node has this text. */
const shows = (node: TestInstance, path: string, text: string) =>
  eventually(async () => expect(await page(node, path)).toContain(text), 60_000);

async function sameHead(): Promise<void> {
  await eventually(async () => {
    expect(await two.git("rev-parse", "main")).toBe(await one.git("rev-parse", "main"));
  });
}

test(
  "a run of one node is previewed and published by another, and live on both",
  async () => {
    const runId = await admin.start('Replace "Selected work" with "Work from two nodes"');
    await admin.reach(runId, "preview_ready");
    const preview = await ask(`${two.baseUrl}/_preview/${runId}/`);
    expect(await preview.text()).toContain("Work from two nodes");
    const published = await other.post("/devconsole/publish", { runId });
    expect(published).toMatchObject({ ok: true, data: { status: "published" } });
    expect(await page(two)).toContain("Work from two nodes");
    await shows(one, "/", "Work from two nodes");
    await sameHead();
  },
  timeoutMs,
);

test(
  "an image that was uploaded on one node is at the other, and in what either builds",
  async () => {
    const form = new FormData();
    const bytes = await noise(640, 400).jpeg().toBuffer();
    form.set("file", new Blob([new Uint8Array(bytes)]), "Two nodes.jpg");
    const upload = await ask(`${one.baseUrl}/api/media/upload`, { method: "POST", body: form });
    const media = ((await upload.json()) as { data: UploadedMedia }).data;
    const fileAt = async (node: TestInstance, path: string) => {
      const response = await ask(node.baseUrl + path);
      return [response.status, (await response.arrayBuffer()).byteLength];
    };
    const { data } = await other.get<{ items: ProjectDetail[] }>("/api/adminprojects/list");
    const [project] = data.items;
    const summary = "Saved at the second node.";
    const change = { id: project?.id, version: project?.version, summary };
    expect(await other.post("/api/adminprojects/save", change)).toMatchObject({ ok: true });
    for (const node of [one, two]) {
      await shows(node, `/projects/${project?.slug}/`, summary);
      const file = await fileAt(node, media.src);
      await eventually(async () =>
        expect(await fileAt(node, media.src)).toEqual([200, media.bytes]),
      );
      expect(file).toHaveLength(2);
    }
    await sameHead();
  },
  timeoutMs,
);

test(
  "the preview of a record that isn't saved is shown by another node",
  async () => {
    const fields = { name: "Not saved anywhere", status: "draft", lede: "Only here." };
    const made = await admin.post<{ previewUrl: string; path: string }>("/devconsole/preview", {
      project: fields,
    });
    expect(made.error).toBeNull();
    const { previewUrl, path } = made.data;
    const shown = await ask(two.baseUrl + previewUrl.slice(0, -1) + path);
    expect(await shown.text()).toContain("Not saved anywhere");
  },
  timeoutMs,
);

test(
  "abuse 223: web is killed while it receives an upload, which continues on another node",
  async () => {
    const file = await noise(2300, 1700).png({ compressionLevel: 0 }).toBuffer();
    const tus = { "tus-resumable": "1.0.0" };
    const headers = { ...tus, "upload-length": String(file.length) };
    const created = await ask(`${one.baseUrl}/api/media/uploads`, { method: "POST", headers });
    const path = created.headers.get("location") ?? "";
    await beginPatch(new URL(path, one.baseUrl), {
      bytes: file.subarray(0, -1000),
      length: file.length,
      headers: { cookie: admin.cookie },
    });
    const offset = await eventually(async () => {
      const head = await ask(two.baseUrl + path, { method: "HEAD", headers: tus });
      const received = Number(head.headers.get("upload-offset"));
      expect(received).toBeGreaterThan(8_000_000);
      return received;
    }, 30_000);
    await one.kill("web");
    const type = "application/offset+octet-stream";
    const sent = await ask(two.baseUrl + path, {
      method: "PATCH",
      headers: { ...tus, "upload-offset": String(offset), "content-type": type },
      body: new Uint8Array(file.subarray(offset)),
    });
    expect(sent.status).toBe(204);
    const job = path.replace("uploads", "jobs");
    for (const client of [other, admin]) {
      await eventually(async () => {
        const { data } = await client.get<Job>(job);
        expect(data).toMatchObject({ status: "done", media: { originalBytes: file.length } });
      }, 60_000);
    }
  },
  timeoutMs,
);

test(
  "abuse 226: wrong passwords on one node count at the other",
  async () => {
    const guess = async (node: TestInstance) => {
      const headers = { "content-type": "application/json", "x-forwarded-for": "203.0.113.9" };
      const body = JSON.stringify({ password: "not the password" });
      const request = { method: "POST", headers, body };
      return (await fetch(`${node.baseUrl}/api/adminauth/login`, request)).status;
    };
    const statuses: number[] = [];
    for (const node of [one, two, one, two, one, two]) statuses.push(await guess(node));
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  },
  timeoutMs,
);

test(
  "a backup that one running node stores is listed by the other, and restores elsewhere",
  async () => {
    const [backup] = await Promise.all([
      two.vitrine(["backup"]),
      one.vitrine(["rebuild", "--wait"]),
    ]);
    const name = String(backup["backup"]);
    expect(await one.vitrine(["backup", "list"])).toMatchObject({ backups: [{ name }] });
    const folder = await tempFolder();
    const into = join(folder.path, "elsewhere");
    const args = ["restore", "latest", "--from-store", "--into", into, "--database-url-stdin"];
    const empty = await nodes.postgres.createDatabase({ empty: true });
    const restored = await one.vitrine(args, empty);
    expect(restored).toMatchObject({ release: backup["release"], files: backup["files"] });
    const media = "content/app/public/media";
    expect(await readdir(join(into, media))).toEqual(await readdir(join(one.dir, media)));
    await folder.remove();
  },
  timeoutMs,
);

test(
  "abuse 221: what one node has prepared outlives the node and its disk",
  async () => {
    const runId = await admin.start('Replace "Work from two nodes" with "Work of a lost node"');
    await admin.reach(runId, "preview_ready");
    await one.stop();
    await rm(one.dir, { recursive: true });
    const published = await other.post("/devconsole/publish", { runId });
    expect(published).toMatchObject({ ok: true, data: { status: "published" } });
    await mkdir(one.dir);
    await one.vitrine(["install", "--yes"]);
    await one.start();
    expect(await page(one)).toContain("Work of a lost node");
    await sameHead();
    expect(await one.git("status", "--porcelain")).toBe("");
  },
  timeoutMs,
);
