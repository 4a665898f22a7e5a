import { afterEach, beforeEach, expect, test } from "vitest";
import { fakeClock } from "../../../../../test/support/clock.ts";
import {
  type S3Server,
  startS3Server,
} from "../../../../../test/support/publish-targets/s3-server.ts";
import {
  installTargetSite,
  openTargetSite,
  sampleFiles,
  type TargetSite,
} from "../../../../../test/support/publish-targets/target-site.ts";
import { type TempFolder, tempFolder } from "../../../../../test/support/temp.ts";
import type { CreateBody } from "./schema.ts";

let folder: TempFolder;
let site: TargetSite;
let server: S3Server;
const clock = fakeClock();

beforeEach(async () => {
  folder = await tempFolder();
  await installTargetSite(folder.path);
  site = await openTargetSite(folder.path, { clock });
  server = await startS3Server();
});
afterEach(async () => {
  await site[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await folder.remove();
});

const bucket = (more: Partial<CreateBody> = {}): CreateBody => ({
  name: "Bucket",
  siteUrl: "https://copy.example",
  forms: "off",
  settings: {
    kind: "s3",
    endpoint: server.endpoint,
    region: "eu-central-1",
    bucket: server.bucket,
    prefix: "live",
    isPathStyle: true,
    accessKeyId: server.accessKeyId,
  },
  secret: server.secretAccessKey,
  ...more,
});

const texts = async () =>
  new Map([...(await server.objects("live/"))].map(([path, { text }]) => [path, text]));

test("a bucket gets a release: assets first, pages next, then only what changed, removals last", async () => {
  await site.publish(sampleFiles("one"));
  const { id } = await site.targets.create(bucket());
  expect(await site.targets.test(id)).toEqual({
    found: "Vitrine can write to and remove from the bucket site.",
  });
  server.requests.length = 0;
  await site.deliveries.sendDue();
  expect(await texts()).toEqual(await site.copy());
  const sent = server.requests.map((line) => line.replace("/site/live/", ""));
  expect(sent.slice(0, 3).toSorted()).toEqual([
    "PUT _astro/style.css",
    "PUT media/2026/a%20b%2Bc.svg",
    "PUT robots.txt",
  ]);
  const objects = await server.objects("live/");
  expect(objects.get("_astro/style.css")).toMatchObject({
    type: "text/css; charset=utf-8",
    cacheControl: "public, max-age=31536000, immutable",
  });
  expect(objects.get("about/index.html")).toMatchObject({
    type: "text/html; charset=utf-8",
    cacheControl: "public, max-age=0, must-revalidate",
  });
  server.requests.length = 0;
  const { "robots.txt": _, ...rest } = sampleFiles("two");
  const release = await site.publish(rest);
  await site.deliveries.sendDue();
  expect(server.requests).toEqual([
    "PUT /site/live/_astro/style.css",
    "PUT /site/live/index.html",
    "DELETE /site/live/robots.txt",
  ]);
  expect(await texts()).toEqual(await site.copy());
  const { items } = await site.targets.list();
  expect(items).toMatchObject([
    { status: "up_to_date", error: null, sent: { release, files: 3 }, secretSet: true },
  ]);
  server.requests.length = 0;
  await site.deliveries.sendDue();
  expect(server.requests).toEqual([]);
});

test("publishing an older release again sends exactly what differs, and everything on request", async () => {
  await site.publish(sampleFiles("one"));
  const { id } = await site.targets.create(bucket());
  await site.deliveries.sendDue();
  await site.publish(sampleFiles("two"));
  await site.deliveries.sendDue();
  await site.publish(sampleFiles("one"));
  server.requests.length = 0;
  await site.deliveries.sendDue();
  expect(server.requests).toEqual(["PUT /site/live/_astro/style.css", "PUT /site/live/index.html"]);
  expect(await texts()).toEqual(await site.copy());
  server.requests.length = 0;
  await site.targets.send(id, { everything: true });
  await site.deliveries.sendDue();
  expect(server.requests).toHaveLength(Object.keys(sampleFiles("one")).length);
});

test("a refusal that may pass is repeated; another one is shown and tried again later", async () => {
  await site.publish(sampleFiles("one"));
  server.refuse(3, 503);
  const { id } = await site.targets.create(bucket());
  await site.deliveries.sendDue();
  expect(await texts()).toEqual(await site.copy());
  await site.publish(sampleFiles("two"));
  server.refuse(1000, 403);
  await site.deliveries.sendDue();
  const failed = (await site.targets.list()).items[0];
  expect(failed).toMatchObject({
    status: "failed",
    error: "The bucket refused the request (SlowDown). Check the key and its permissions.",
    nextAttemptAt: new Date(clock.now() + 30_000).toISOString(),
  });
  server.refuse(0, 0);
  server.requests.length = 0;
  await site.deliveries.sendDue();
  expect(server.requests).toEqual([]);
  clock.advance(30_000);
  await site.deliveries.sendDue();
  expect((await site.targets.list()).items[0]).toMatchObject({ id, status: "up_to_date" });
  expect(await texts()).toEqual(await site.copy());
  await site.publish(sampleFiles("three"));
  server.refuse(1000, 403);
  await site.deliveries.sendDue();
  server.refuse(0, 0);
  await site.targets.setPaused(id, true);
  expect(await site.targets.setPaused(id, false)).toMatchObject({ status: "waiting", error: null });
  await site.deliveries.sendDue();
  expect((await site.targets.list()).items[0]).toMatchObject({ status: "up_to_date" });
});

test("attempts wait longer each time, and end after ten until something changes", async () => {
  await site.publish(sampleFiles("one"));
  const { id } = await site.targets.create(bucket({ secret: "wrong" }));
  const waits: number[] = [];
  for (;;) {
    await site.deliveries.sendDue();
    const [target] = (await site.targets.list()).items;
    expect(target).toMatchObject({ status: "failed", error: expect.stringContaining("Signature") });
    if (!target?.nextAttemptAt) break;
    const wait = Date.parse(target.nextAttemptAt) - clock.now();
    waits.push(wait / 1000);
    clock.advance(wait);
  }
  expect(waits).toEqual([30, 60, 120, 240, 480, 960, 1920, 3600, 3600]);
  await site.targets.save({ id, ...bucket() });
  await site.deliveries.sendDue();
  expect((await site.targets.list()).items[0]).toMatchObject({ status: "up_to_date" });
});

test("a paused target gets nothing, and then only the newest release", async () => {
  await site.publish(sampleFiles("one"));
  const { id } = await site.targets.create(bucket());
  await site.targets.setPaused(id, true);
  await site.deliveries.sendDue();
  expect(await texts()).toEqual(new Map());
  await site.publish(sampleFiles("two"));
  const release = await site.publish(sampleFiles("three"));
  expect(await site.targets.setPaused(id, false)).toMatchObject({ status: "waiting" });
  await site.deliveries.sendDue();
  expect(await texts()).toEqual(await site.copy());
  expect((await site.targets.list()).items[0]).toMatchObject({ sent: { release } });
});

test("what was in the bucket stays, and so does everything of a removed target", async () => {
  await server.put("live/own.txt", "own");
  await site.publish(sampleFiles("one"));
  const { id } = await site.targets.create(bucket());
  await site.deliveries.sendDue();
  await site.publish({ "index.html": sampleFiles("two")["index.html"] ?? "" });
  await site.deliveries.sendDue();
  expect([...(await texts()).keys()].toSorted()).toEqual(["index.html", "own.txt"]);
  await site.targets.remove(id);
  await site.deliveries.sendDue();
  expect([...(await texts()).keys()]).toHaveLength(2);
  expect(await site.targets.list()).toMatchObject({ items: [], total: 0 });
});
