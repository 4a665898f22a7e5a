import { appendFile, link, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../test/support/temp.ts";
import { addedBytes, diskBytes, readDisk } from "./disk.ts";

const kib = 1024;

test("counts what is new or has grown, links once, and not what has been removed", async () => {
  await using folder = await tempFolder();
  const file = (name: string) => join(folder.path, name);
  await writeFile(file("old"), Buffer.alloc(512 * kib));
  await writeFile(file("log"), Buffer.alloc(16 * kib));
  const before = readDisk(folder.path);
  await rm(file("old"));
  await writeFile(file("new"), Buffer.alloc(64 * kib));
  await link(file("new"), file("linked"));
  await appendFile(file("log"), Buffer.alloc(32 * kib));
  const { files } = addedBytes(before, readDisk(folder.path));
  expect(files).toBe(96 * kib);
  expect(diskBytes(folder.path)).toBe(112 * kib);
});

test("tells folders from files", async () => {
  await using folder = await tempFolder();
  const before = readDisk(folder.path);
  await mkdir(join(folder.path, "page"));
  const { files } = addedBytes(before, readDisk(folder.path));
  expect(files).toBe(0);
});
