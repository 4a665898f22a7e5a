import { execFileSync } from "node:child_process";
import { readFile, rm, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  openInstance,
  type TestInstance,
} from "../../../../../test/support/publish/publish-instance.ts";
import { copyInstance } from "../../../../../test/support/publish/sample.ts";
import { removeWorkspace } from "../workspace/workspace.ts";
import { tempFolder } from "../../../../../test/support/temp.ts";
import { isRoot, traceable } from "../../../../../test/support/publish/machine.ts";

const program = join(import.meta.dirname, "../../../../../test/support/publish/publisher.ts");
const home = "app/src/pages/index.astro";

test.skipIf(!traceable)(
  "abuse 107: what an acknowledged publish consists of is forced to the disk: files, folders, ref, link, row",
  async () => {
    await using folder = await tempFolder();
    await copyInstance(folder.path);
    const trace = join(folder.path, "trace");
    const calls = "trace=fsync,fdatasync,syncfs,rename,renameat,renameat2,link,linkat";
    try {
      // Ends itself when its first publish is recorded.
      execFileSync(
        "strace",
        ["-f", "-y", "-s", "4096", "-e", calls, "-o", trace, process.execPath, program].concat([
          folder.path,
          "1",
          "pruned",
        ]),
        { stdio: "ignore" },
      );
    } catch {
      // It was killed, as asked for.
    }
    const lines = (await readFile(trace, "utf8")).split("\n");
    const synced = lines.flatMap(
      (line) => /(?:fsync|fdatasync)\(\d+<([^>]+)>/.exec(line)?.[1] ?? [],
    );
    const below = (path: string) =>
      synced.filter((name) => name.startsWith(join(folder.path, path)));
    const { data, content } = { data: "data", content: "content/.git" };
    expect(below(`${content}/objects/`).length).toBeGreaterThanOrEqual(4);
    expect(below(`${content}/refs/heads/main.lock`)).not.toEqual([]);
    expect(below(`${content}/index.lock`)).not.toEqual([]);
    expect(below(`${content}/vitrine-incoming/${home}`)).not.toEqual([]);
    expect(synced).toContain(join(folder.path, "content/app/src/pages"));
    expect(below(`${data}/releases/.staging-2/index.html`)).not.toEqual([]);
    expect(synced).toContain(join(folder.path, data, "releases/.staging-2/about"));
    expect(synced).toContain(join(folder.path, data, "releases"));
    expect(below(`${data}/vitrine.db-wal`).length).toBeGreaterThanOrEqual(3);

    // The folder of the link is forced after the link has taken its place.
    const swapped = lines.findIndex((line) => /rename.*\.current-2.*\/current"/.test(line));
    const forced = lines.findIndex(
      (line, index) => index > swapped && line.includes(`<${join(folder.path, data)}>`),
    );
    expect(swapped).toBeGreaterThan(0);
    expect(forced).toBeGreaterThan(swapped);
  },
);

/** Leaves so many KiB free, publishes, makes room again, and lets recovery finish what it can. */
async function publishWithRoom(instance: TestInstance, freeKiB: number): Promise<void> {
  const { paths, publisher, git } = instance;
  const old = await git("show", `main:${home}`);
  const text = `<h1>With ${freeKiB} free</h1>\n`;
  const workspace = await instance.workspace(`RUN${freeKiB}`, {
    [home]: text,
    "app/public/big.txt": Array.from({ length: 20_000 }, () => Math.random()).join(""),
  });
  const request = await instance.request(workspace);
  const filler = join(paths.data, "filler");
  execFileSync("sh", ["-c", `head -c 64m /dev/zero > ${filler} || true`], { stdio: "ignore" });
  await truncate(filler, Math.max(0, (await stat(filler)).size - freeKiB * 1024));
  const error = await publisher.publish(request).then(
    () => null,
    (reason: unknown) => reason,
  );
  const seen = await readFile(join(paths.current, "index.html"), "utf8");
  expect(error === null ? [text] : [old, text]).toContain(seen);

  await rm(filler);
  await publisher.recover();
  expect(await git("status", "--porcelain")).toBe("");
  const live = await readFile(join(paths.current, "index.html"), "utf8");
  expect(live).toBe(await git("show", `main:${home}`));
  if (live === old) await publisher.publish(request);
  expect(await readFile(join(paths.current, "index.html"), "utf8")).toBe(text);
  await removeWorkspace(instance.repository, workspace.runId);
}

/** With the usual reserve a publish is refused while there is still room to do so in order. */
async function expectRefusedInTime(dir: string): Promise<void> {
  const instance = openInstance(dir);
  const workspace = await instance.workspace("LAST", { [home]: "<h1>Last</h1>\n" });
  const before = await readFile(join(instance.paths.current, "index.html"), "utf8");
  const request = await instance.request(workspace);
  await expect(instance.publisher.publish(request)).rejects.toMatchObject({ status: 507 });
  expect(await readFile(join(instance.paths.current, "index.html"), "utf8")).toBe(before);
  await instance.close();
}

test.skipIf(!isRoot)(
  "abuse 106: whatever room a disk has left, a publish is whole or refused, and possible once there is room",
  async () => {
    await using folder = await tempFolder();
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=16m", "tmpfs", folder.path]);
    try {
      await copyInstance(folder.path);
      const instance = openInstance(folder.path, { reserveBytes: 0 });
      for (const freeKiB of [0, 60, 200, 250, 300, 400, 500, 1500]) {
        await publishWithRoom(instance, freeKiB);
      }
      expect(await instance.git("fsck", "--full")).not.toMatch(/error|missing|corrupt/);
      await instance.close();
      await expectRefusedInTime(folder.path);
    } finally {
      execFileSync("umount", ["-l", folder.path]);
    }
  },
);
