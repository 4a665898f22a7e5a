import { afterEach, beforeEach, expect, test } from "vitest";
import { fakeClock } from "../../../../../test/support/clock.ts";
import {
  type NetlifyServer,
  startNetlifyServer,
} from "../../../../../test/support/publish-targets/netlify-server.ts";
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
let server: NetlifyServer;

beforeEach(async () => {
  folder = await tempFolder();
  await installTargetSite(folder.path);
  server = await startNetlifyServer();
  site = await openTargetSite(folder.path, { clock: fakeClock(), netlifyUrl: server.url });
});
afterEach(async () => {
  await site[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await folder.remove();
});

const target = (more: Partial<CreateBody> = {}): CreateBody => ({
  name: "Netlify",
  siteUrl: "https://copy.example",
  forms: "origin",
  settings: { kind: "netlify", siteId: server.siteId },
  secret: server.token,
  ...more,
});

const state = async () => (await site.targets.list()).items[0];
const puts = () => server.requests.filter((line) => line.startsWith("PUT ")).length;

test("Netlify gets a deploy with headers and redirects, of which only what it lacks is sent", async () => {
  await site.publish(sampleFiles("one"), { "/old/": "/about/" });
  const { id } = await site.targets.create(target());
  expect(await site.targets.test(id)).toEqual({
    found: "Netlify has the site example, https://example.netlify.app.",
  });
  await site.deliveries.sendDue();
  const live = server.live();
  expect(live.get("_redirects")).toBe(
    [
      "/old/ /about/ 301!",
      "/account https://home.example/account/ 302!",
      "/account/* https://home.example/account/:splat 302!",
      "",
    ].join("\n"),
  );
  expect(live.get("_headers")).toContain(
    "Content-Security-Policy: base-uri 'self'; form-action 'self' https://home.example; frame-ancestors 'self'",
  );
  expect(live.get("contact/index.html")).toContain('action="https://home.example/api/contact"');
  live.delete("_headers");
  live.delete("_redirects");
  expect(live).toEqual(await site.copy("origin"));
  const before = puts();
  await site.publish(sampleFiles("two"), { "/old/": "/about/" });
  await site.deliveries.sendDue();
  expect(puts() - before).toBe(2);
  expect(await state()).toMatchObject({ status: "up_to_date", sent: { release: 2, files: 2 } });
  await site.publish(sampleFiles("one"), { "/old/": "/about/" });
  await site.deliveries.sendDue();
  expect(puts() - before).toBe(2);
  expect(server.live().get("_astro/style.css")).toBe("/* one */");
});

test("a large deploy is prepared in the background, and a busy server is asked again", async () => {
  const many = Array.from({ length: 120 }, (_, index) => [`files/${index}.txt`, `${index}`]);
  await site.publish({ ...sampleFiles("one"), ...Object.fromEntries(many) });
  await site.targets.create(target({ forms: "off" }));
  server.refuse(3, 429);
  await site.deliveries.sendDue();
  const live = server.live();
  live.delete("_headers");
  expect(live).toEqual(await site.copy());
  expect(await state()).toMatchObject({ status: "up_to_date", error: null });
});

test("a wrong token and an impossible name are said, with the key kept out of it", async () => {
  await site.publish(sampleFiles("one"));
  const { id } = await site.targets.create(target({ secret: "wrong" }));
  await site.deliveries.sendDue();
  expect(await state()).toMatchObject({
    status: "failed",
    error: "Netlify refused the request (Access Denied). Check the key and its permissions.",
  });
  await site.targets.save({ id, ...target() });
  await site.publish({ ...sampleFiles("one"), "files/a#b.txt": "" });
  await site.deliveries.sendDue();
  expect(await state()).toMatchObject({
    error: "Netlify takes no file whose name contains # or ?: files/a#b.txt. Rename it.",
  });
});
