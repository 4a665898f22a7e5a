import { link, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../../../../test/support/temp.ts";
import { makeWorkerWorkspace } from "./worker-folders.ts";

const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0]);

test("abuse 210: of an image worker's files, only regular images without other links are taken, as copies", async () => {
  await using folder = await tempFolder();
  const outDir = join(folder.path, "out");
  await mkdir(outDir);
  await writeFile(join(folder.path, "secret.jpg"), jpeg);
  const workspace = await makeWorkerWorkspace(join(folder.path, "workers"), null);
  const made = (name: string) => join(workspace.output, name);
  await writeFile(made("good.jpg"), jpeg);
  await symlink(join(folder.path, "secret.jpg"), made("linked.jpg"));
  await link(join(folder.path, "secret.jpg"), made("twice.jpg"));
  await writeFile(made("page.jpg"), "<script>");
  await writeFile(made("page.html"), "<script>");
  await mkdir(made("folder.jpg"));
  expect(await workspace.take(["good.jpg"], outDir)).toEqual([jpeg.length]);
  for (const [name, reason] of [
    ["linked.jpg", "a file of its own"],
    ["twice.jpg", "a file of its own"],
    ["folder.jpg", "a file of its own"],
    ["page.jpg", "of the type"],
    ["page.html", "of the type"],
    ["no.jpg", "ENOENT"],
  ] as const) {
    await expect(workspace.take([name], outDir)).rejects.toThrow(reason);
  }
  expect(await readdir(outDir)).toEqual(["good.jpg"]);
  // What the worker does to its file later changes nothing.
  await writeFile(made("good.jpg"), "changed");
  expect(await readFile(join(outDir, "good.jpg"))).toEqual(jpeg);
  expect((await stat(join(outDir, "good.jpg"))).mode & 0o777).toBe(0o644);
  await workspace.clear();
  expect(await readdir(workspace.output)).toEqual([]);
  await workspace.remove();
  expect(await readdir(join(folder.path, "workers"))).toEqual([]);
});
