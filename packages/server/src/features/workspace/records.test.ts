import { execFileSync } from "node:child_process";
import { chmod, mkdir, open, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { traceable } from "../../../../../test/support/publish/machine.ts";
import {
  openInstance,
  type TestInstance,
} from "../../../../../test/support/publish/publish-instance.ts";
import { copyInstance } from "../../../../../test/support/publish/sample.ts";
import { tempFolder, type TempFolder } from "../../../../../test/support/temp.ts";
import { treeChanges } from "./commit.ts";
import { stageRecords } from "./records.ts";
import { createWorkspace, removeWorkspace } from "./workspace.ts";

let folder: TempFolder;
let instance: TestInstance;
let media: string;

beforeEach(async () => {
  folder = await tempFolder();
  await copyInstance(folder.path);
  instance = openInstance(folder.path);
  media = join(instance.paths.content, "app/public/media/2026");
});

afterEach(async () => {
  await instance.close();
  await folder.remove();
});

async function stage(projects = "[]\n") {
  const { repository } = instance;
  await removeWorkspace(repository, "R1");
  const workspace = await createWorkspace(repository, "R1");
  const { tree, changed } = await stageRecords(repository, workspace, {
    exportRecords: async () => projects,
  });
  const changes = await treeChanges(repository, workspace.baseCommit, tree);
  const id = (path: string) => changes.find((change) => change.path === path)?.newId;
  return { changed, paths: changes.map(({ path }) => path), changes, id, workspace };
}

test("content that main already has isn't a change", async () => {
  expect(await stage()).toMatchObject({ changed: false, paths: [] });
});

test("commits projects.json and new and removed media, and nothing else in the folder", async () => {
  await writeFile(join(media, "b.webp"), "two");
  await chmod(join(media, "b.webp"), 0o755);
  await mkdir(join(media, "../2027"));
  await writeFile(join(media, "../2027/c.mp4"), "three");
  await rm(join(media, "a.jpg"));
  await mkdir(join(media, ".hidden"));
  await writeFile(join(media, ".hidden/d.webp"), "half");
  await writeFile(join(media, ".e.webp"), "half");
  await writeFile(join(media, "f.webp.0123456789ab.tmp"), "half");
  await writeFile(join(media, "line\nbreak.webp"), "forged");
  await symlink("b.webp", join(media, "g.webp"));
  execFileSync("mkfifo", [join(media, "h.webp")]);
  const { changed, changes, workspace } = await stage("[1]\n");
  expect(changed).toBe(true);
  expect(changes.map(({ path, newMode }) => `${newMode} ${path}`)).toEqual([
    "000000 app/public/media/2026/a.jpg",
    "100644 app/public/media/2026/b.webp",
    "100644 app/public/media/2027/c.mp4",
    "100644 database/projects.json",
  ]);
  // The work tree stays without them.
  expect(await readdir(join(workspace.dir, "app/public"))).toEqual(["robots.txt"]);
});

test("a manually deleted stored file isn't removed from the site", async () => {
  await rm(join(media, "a.jpg"));
  const named = JSON.stringify({ media: [{ src: "/media/2026/a.jpg" }] });
  await expect(stage(named)).rejects.toThrow(
    "Stored files are missing: content/app/public/media/2026/a.jpg. ",
  );
  expect((await stage(JSON.stringify({ media: [] }))).paths).toContain(
    "app/public/media/2026/a.jpg",
  );
});

test("thousands of files are committed byte for byte", async () => {
  const names = Array.from({ length: 1200 }, (_, n) => `n${n}.webp`);
  for (const name of names) await writeFile(join(media, name), `picture ${name}\r\n`);
  const { paths, id } = await stage();
  expect(paths).toHaveLength(1200);
  for (const name of ["n0.webp", "n999.webp", "n1000.webp", "n1199.webp"]) {
    const blob = id(`app/public/media/2026/${name}`) ?? "";
    expect(await instance.git("cat-file", "blob", blob)).toBe(`picture ${name}\r\n`);
  }
}, 120_000);

test("a large video is committed without being held in memory", async () => {
  const video = await open(join(media, "film.mp4"), "w");
  const chunk = Buffer.alloc(1024 * 1024, "film");
  for (let n = 0; n < 128; n += 1) await video.write(chunk);
  await video.close();
  const before = process.memoryUsage().rss;
  let limit = 0;
  const watch = setInterval(() => {
    limit = Math.max(limit, process.memoryUsage().rss - before);
  }, 5);
  const { id } = await stage();
  clearInterval(watch);
  expect(limit).toBeLessThan(64 * 1024 * 1024);
  const blob = id("app/public/media/2026/film.mp4") ?? "";
  expect(await instance.git("cat-file", "-s", blob)).toBe(`${128 * 1024 * 1024}\n`);
}, 120_000);

test("a file that disappears between listing and reading causes no failure", async () => {
  for (let n = 0; n < 50; n += 1) await writeFile(join(media, `n${n}.webp`), `picture ${n}`);
  const { git } = instance.repository;
  let vanished = false;
  instance.repository.git = async (args, options) => {
    if (!vanished && args.includes("hash-object")) {
      vanished = true;
      await rm(join(media, "n25.webp"));
    }
    return git(args, options);
  };
  const { paths } = await stage();
  expect(vanished).toBe(true);
  expect(paths).toHaveLength(49);
  expect(paths).not.toContain("app/public/media/2026/n25.webp");
});

test.skipIf(!traceable)("a file that main already has isn't opened", async () => {
  const program = `
    import { openInstance } from "./test/support/publish/publish-instance.ts";
    import { createWorkspace } from "./packages/server/src/features/workspace/workspace.ts";
    import { stageRecords } from "./packages/server/src/features/workspace/records.ts";
    const { repository } = openInstance(process.argv[1]);
    const workspace = await createWorkspace(repository, "R2");
    await stageRecords(repository, workspace, { exportRecords: async () => "[]\\n" });
    process.exit(0);`;
  await writeFile(join(media, "b.webp"), "two");
  const trace = join(folder.path, "trace");
  const node = [process.execPath, "--input-type=module", "-e", program, folder.path];
  execFileSync("strace", ["-f", "-e", "trace=open,openat", "-o", trace, ...node], {
    cwd: join(import.meta.dirname, "../../../../.."),
    stdio: ["ignore", "ignore", "inherit"],
  });
  const opened = await readFile(trace, "utf8");
  expect(opened).toContain("2026/b.webp");
  expect(opened).not.toContain("2026/a.jpg");
});
