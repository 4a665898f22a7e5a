import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeArtifact } from "../../../../../test/support/publish/publish-instance.ts";
import { tempFolder, type TempFolder } from "../../../../../test/support/temp.ts";
import { exists } from "../../platform/files.ts";
import { type InstancePaths, instancePaths } from "../../platform/paths.ts";
import {
  currentRelease,
  listReleases,
  releaseArtifact,
  releasePath,
  tidyReleases,
} from "./current-symlink.ts";
import { spareName } from "./spare-release.ts";

type Files = Record<string, string>;

let folder: TempFolder;
let paths: InstancePaths;

beforeEach(async () => {
  folder = await tempFolder();
  paths = instancePaths(folder.path);
});
afterEach(() => folder.remove());

const release = async (files: Files, keep = 2) =>
  releaseArtifact(paths, await makeArtifact(paths, files), { keep });

/** All entries below a folder: the texts of files, null for folders. */
async function contents(dir: string): Promise<Record<string, string | null>> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const read = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    const text = entry.isDirectory() ? null : await readFile(path, "utf8");
    return [path.slice(dir.length + 1), text] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

/** What a folder has with exactly these files. */
function exactly(files: Files): Record<string, string | null> {
  const folders = Object.keys(files).flatMap((file) => {
    const parts = file.split("/").slice(0, -1);
    return parts.map((_, at) => [parts.slice(0, at + 1).join("/"), null] as const);
  });
  return { ...Object.fromEntries(folders), ...files };
}

const inode = async (path: string) => (await stat(path)).ino;
const spare = () => join(paths.releases, spareName);

const pages = (round: number): Files => ({
  "index.html": `round ${round}`,
  "projects/a/index.html": "a",
  "projects/b/index.html": "b",
});

test("a release is made of the one that would be removed, with links to the same files", async () => {
  for (const round of [1, 2]) await release(pages(round));
  const folderBefore = await inode(join(releasePath(paths, 1), "projects/a"));
  await release(pages(3));
  expect(await listReleases(paths)).toEqual([2, 3]);
  expect(await exists(spare())).toBe(true);
  const source = await makeArtifact(paths, pages(4));
  expect(await releaseArtifact(paths, source, { keep: 2 })).toBe(4);
  const live = releasePath(paths, 4);
  expect(await contents(live)).toEqual(exactly(pages(4)));
  expect(await inode(join(live, "projects/a"))).toBe(folderBefore);
  for (const file of Object.keys(pages(4))) {
    expect(await inode(join(live, file))).toBe(await inode(join(source.dir, file)));
  }
});

test("nothing is left of what the removed release had: pages, folders, files in place of folders", async () => {
  const rounds: Files[] = [
    {
      "index.html": "1",
      "secret/deep/er/index.html": "gone",
      notes: "a file",
      "a/index.html": "a",
    },
    { "index.html": "2" },
    { "index.html": "3" },
    {
      "index.html": "4",
      "notes/index.html": "a folder",
      secret: "a file",
      "b/c/index.html": "new",
    },
    { "index.html": "5", "b/c/index.html": "new" },
    { "index.html": "6" },
  ];
  for (const [at, files] of rounds.entries()) {
    const number = await release(files);
    expect(await contents(releasePath(paths, number)), `round ${at + 1}`).toEqual(exactly(files));
    const kept = rounds.slice(Math.max(0, at - 1), at + 1);
    for (const [place, earlier] of kept.entries()) {
      const which = number - kept.length + 1 + place;
      expect(await contents(releasePath(paths, which))).toEqual(exactly(earlier));
    }
  }
});

test("a file that was edited where it was set aside doesn't go live", async () => {
  for (const round of [1, 2, 3]) await release(pages(round));
  await rm(join(spare(), "projects/a/index.html"));
  await writeFile(join(spare(), "projects/a/index.html"), "edited");
  await writeFile(join(spare(), "projects/a/more.html"), "added");
  expect(await contents(releasePath(paths, await release(pages(4))))).toEqual(exactly(pages(4)));
});

test("a folder that isn't like a release is removed, and the release is made from the artifact", async () => {
  for (const round of [1, 2, 3]) await release(pages(round));
  await symlink("/etc", join(spare(), "etc"));
  const number = await release(pages(4));
  expect(await contents(releasePath(paths, number))).toEqual(exactly(pages(4)));
  expect(await readdir("/etc")).not.toEqual([]);
});

test("what is set aside is no release, and outlives a restart; unfinished ones don't", async () => {
  for (const round of [1, 2, 3]) await release(pages(round));
  await mkdir(join(paths.releases, ".staging-9"));
  await tidyReleases(paths);
  expect(await currentRelease(paths)).toBe(3);
  expect((await readdir(paths.releases)).toSorted()).toEqual(
    [spareName, "2", "2.json", "3", "3.json"].toSorted(),
  );
  expect(await release(pages(4))).toBe(4);
  expect(await contents(releasePath(paths, 4))).toEqual(exactly(pages(4)));
});
