import { lstat, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type TempFolder, tempFolder } from "../../../../../../test/support/temp.ts";
import {
  linkPublishedFiles,
  publishedImagesFolder,
  publishedResumeFile,
} from "./link-published-files.ts";
import { removeTree } from "../../../platform/files.ts";
import { makeSlot } from "./slot.ts";

let folder: TempFolder;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

const name = `${"0a".repeat(16)}.png`;

async function linked(current?: string): Promise<string[]> {
  const slot = await makeSlot(folder.path, "1-1", 1);
  await linkPublishedFiles(current, slot);
  return readdir(join(slot.site, publishedImagesFolder)).catch(() => []);
}

test("a build gets the share images of the live release and nothing else of it", async () => {
  const og = join(folder.path, "releases/7/og");
  await mkdir(og, { recursive: true });
  for (const file of [name, "other.png", `${"b".repeat(32)}.png.br`]) {
    await writeFile(join(og, file), file);
  }
  await symlink(join(og, "other.png"), join(og, `${"c".repeat(32)}.png`));
  await symlink("releases/7", join(folder.path, "current"));
  expect(await linked(join(folder.path, "current"))).toEqual([name]);
  const inside = join(folder.path, "1-1/site", publishedImagesFolder, name);
  expect((await lstat(inside)).ino).toBe((await lstat(join(og, name))).ino);
});

test("a build gets the file of the live résumé, unless that is a link", async () => {
  const release = join(folder.path, "releases/7");
  await mkdir(join(release, "og"), { recursive: true });
  await symlink("releases/7", join(folder.path, "current"));
  await symlink("/etc/passwd", join(release, "resume.pdf"));
  const file = join(folder.path, "1-1/site", publishedResumeFile);
  await linked(join(folder.path, "current"));
  await expect(lstat(file)).rejects.toThrow("ENOENT");
  await removeTree(join(folder.path, "1-1"));
  await removeTree(join(release, "resume.pdf"));
  await writeFile(join(release, "resume.pdf"), "%PDF");
  await linked(join(folder.path, "current"));
  expect(await readFile(file, "utf8")).toBe("%PDF");
});

test("before the first release, and where a release has none, there are none", async () => {
  expect(await linked(join(folder.path, "current"))).toEqual([]);
});
