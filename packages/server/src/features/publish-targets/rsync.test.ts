import { readdir, readFile, readlink, stat, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fakeClock } from "../../../../../test/support/clock.ts";
import {
  type SshServer,
  startSshServer,
} from "../../../../../test/support/publish-targets/ssh-server.ts";
import {
  installTargetSite,
  openTargetSite,
  sampleFiles,
  type TargetSite,
} from "../../../../../test/support/publish-targets/target-site.ts";
import { type TempFolder, tempFolder } from "../../../../../test/support/temp.ts";
import type { RsyncSettings } from "./schema.ts";

let folder: TempFolder;
let site: TargetSite;
let server: SshServer;

beforeEach(async () => {
  folder = await tempFolder();
  await installTargetSite(folder.path);
  site = await openTargetSite(folder.path, { clock: fakeClock() });
  server = await startSshServer();
});
afterEach(async () => {
  await site[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await folder.remove();
});

async function create(more: Partial<RsyncSettings> = {}): Promise<number> {
  const { host, port, user, hostKey } = server;
  const { id, publicKey } = await site.targets.create({
    name: "Server",
    siteUrl: null,
    forms: "off",
    settings: {
      kind: "rsync",
      host,
      port,
      user,
      folder: server.folder,
      isAtomic: false,
      keptReleases: 2,
      hostKey,
      ...more,
    },
  });
  await server.authorize(publicKey ?? "");
  return id;
}

/** The files below a folder of the server as texts. */
async function files(root = server.folder): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    texts.set(relative(root, path), await readFile(path, "utf8"));
  }
  return texts;
}

const state = async () => (await site.targets.list()).items[0];

test("a folder gets what changed, readable for everybody, and loses only what was sent", async () => {
  await site.publish(sampleFiles("one"));
  const id = await create();
  expect(await site.targets.test(id)).toEqual({
    found: `Vitrine reaches 127.0.0.1 as ${server.user}, and rsync answers there.`,
  });
  expect(await files()).toEqual(new Map());
  await writeFile(join(server.folder, "own.txt"), "own");
  await site.deliveries.sendDue();
  const withOwn = async () => new Map([...(await site.copy()), ["own.txt", "own"]]);
  expect(await state()).toMatchObject({ error: null, status: "up_to_date" });
  expect(await files()).toEqual(await withOwn());
  expect((await stat(join(server.folder, "index.html"))).mode & 0o777).toBe(0o644);
  const before = await stat(join(server.folder, "about/index.html"));
  const { "robots.txt": _, "media/2026/a b+c.svg": __, ...rest } = sampleFiles("two");
  await site.publish({ ...rest, "media/#x;y.txt": "new", "-option.txt": "new" });
  await site.deliveries.sendDue();
  expect(await files()).toEqual(await withOwn());
  expect(await state()).toMatchObject({ status: "up_to_date", sent: { files: 6 } });
  const after = await stat(join(server.folder, "about/index.html"));
  expect([after.ino, after.mtimeMs]).toEqual([before.ino, before.mtimeMs]);
});

test("with a link, each release is complete before visitors see it, and old ones are removed", async () => {
  await site.publish(sampleFiles("one"));
  await create({ isAtomic: true });
  await site.deliveries.sendDue();
  expect(await state()).toMatchObject({ error: null, status: "up_to_date" });
  const current = join(server.folder, "current");
  expect(await readlink(current)).toBe("releases/1-1");
  expect(await files(`${current}/`)).toEqual(await site.copy());
  await site.publish(sampleFiles("two"));
  await site.deliveries.sendDue();
  expect(await readlink(current)).toBe("releases/2-1");
  expect(await files(`${current}/`)).toEqual(await site.copy());
  // Only what changed was sent; the rest shares its files with the release before.
  expect(await state()).toMatchObject({ sent: { release: 2, files: 2 } });
  const inode = async (release: string) =>
    (await stat(join(server.folder, "releases", release, "about/index.html"))).ino;
  expect(await inode("2-1")).toBe(await inode("1-1"));
  await site.publish(sampleFiles("one"));
  await site.deliveries.sendDue();
  expect(await files(`${current}/`)).toEqual(await site.copy());
  expect((await readdir(join(server.folder, "releases"))).toSorted()).toEqual(["2-1", "3-1"]);
});
