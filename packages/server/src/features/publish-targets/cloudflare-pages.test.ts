import { afterEach, beforeEach, expect, test } from "vitest";
import { fakeClock } from "../../../../../test/support/clock.ts";
import {
  type CloudflareServer,
  startCloudflareServer,
} from "../../../../../test/support/publish-targets/cloudflare-server.ts";
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
let server: CloudflareServer;

beforeEach(async () => {
  folder = await tempFolder();
  await installTargetSite(folder.path);
  server = await startCloudflareServer();
  site = await openTargetSite(folder.path, { clock: fakeClock(), cloudflareUrl: server.url });
});
afterEach(async () => {
  await site[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await folder.remove();
});

const target = (more: Partial<CreateBody> = {}): CreateBody => ({
  name: "Cloudflare",
  siteUrl: "https://copy.example",
  forms: "forwarded",
  settings: {
    kind: "cloudflare",
    accountId: server.accountId,
    project: server.project,
    branch: "main",
  },
  secret: server.token,
  ...more,
});

const state = async () => (await site.targets.list()).items[0];

test("Cloudflare gets a deployment, of which only what it lacks is uploaded", async () => {
  const own = { _headers: "/own/*\n  X-Own: 1\n" };
  await site.publish({ ...sampleFiles("one"), ...own }, { "/old/": "/about/" });
  const { id } = await site.targets.create(target());
  expect(await site.targets.test(id)).toEqual({
    found: "Cloudflare has the project example, example.pages.dev.",
  });
  await site.deliveries.sendDue();
  expect(await state()).toMatchObject({ error: null, status: "up_to_date" });
  const expected = async () => {
    const copy = await site.copy("forwarded");
    copy.delete("_headers");
    return copy;
  };
  expect(server.live()).toEqual(await expected());
  expect(server.hostFiles()["_redirects"]).toBe("/old/ /about/ 301\n");
  expect(server.hostFiles()["_headers"]).toMatch(/^\/\*\n[^]*\n\/own\/\*\n {2}X-Own: 1\n$/);
  await site.publish(sampleFiles("two"));
  await site.deliveries.sendDue();
  expect(await state()).toMatchObject({ status: "up_to_date", sent: { release: 2, files: 2 } });
  expect(server.live()).toEqual(await expected());
  await site.publish(sampleFiles("one"));
  await site.deliveries.sendDue();
  expect(await state()).toMatchObject({ sent: { release: 3, files: 0 } });
  expect(server.live()).toEqual(await expected());
});

test("an upload's token that expires is renewed, and a wrong one of the owner's is said", async () => {
  await site.publish(sampleFiles("one"));
  const { id } = await site.targets.create(target({ secret: "wrong" }));
  await site.deliveries.sendDue();
  expect(await state()).toMatchObject({
    status: "failed",
    error:
      "Cloudflare refused the request (Authentication error). Check the key and its permissions.",
  });
  await site.targets.save({ id, ...target() });
  server.expireFirstUploadToken();
  server.requests.length = 0;
  await site.deliveries.sendDue();
  expect(await state()).toMatchObject({ status: "up_to_date" });
  expect(server.requests.filter((line) => line.endsWith("/upload-token")).length).toBe(2);
});
