import { chmod, readdir, readFile, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type TempFolder, tempFolder } from "../../../../test/support/temp.ts";
import { exists, removeTree, writeFileAtomic } from "./files.ts";

let folder: TempFolder;

beforeEach(async () => {
  folder = await tempFolder();
});

afterEach(() => folder.remove());

test("a file is replaced as a whole, with its mode, and leaves nothing beside it", async () => {
  const file = join(folder.path, "key");
  await writeFileAtomic(file, "one", { mode: 0o600 });
  await writeFileAtomic(file, "two", { mode: 0o600 });
  expect(await readFile(file, "utf8")).toBe("two");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder.path)).toEqual(["key"]);
});

test("a write that fails leaves the old file and no rest", async () => {
  const file = join(folder.path, "taken", "below");
  await expect(writeFileAtomic(file, "x")).rejects.toThrow("ENOENT");
  const blocked = join(folder.path, "blocked");
  await symlink("/", blocked);
  await chmod(folder.path, 0o755);
  await writeFileAtomic(blocked, "replaced the link, not its target");
  expect(await readdir(folder.path)).toEqual(["blocked"]);
});

test("a dangling link exists, what was removed doesn't", async () => {
  const link = join(folder.path, "link");
  await symlink("/nowhere/at/all", link);
  expect(await exists(link)).toBe(true);
  await removeTree(link);
  expect(await exists(link)).toBe(false);
});
