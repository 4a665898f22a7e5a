import { execFile } from "node:child_process";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { pino } from "pino";
import { expect, test } from "vitest";
import { fakeClock } from "../../../../../../test/support/clock.ts";
import { isRoot } from "../../../../../../test/support/publish/machine.ts";
import { tempFolder } from "../../../../../../test/support/temp.ts";
import { makeWatchedGuard } from "vitrine-qa/src/system/memory.ts";
import { makeBuilderPool } from "./builder-pool.ts";

const run = promisify(execFile);

const bounds = { processes: 64, memoryBytes: 2 ** 30, outputBytes: 2 ** 20, cpuSeconds: 60 };

function poolIn(buildersDir: string) {
  return makeBuilderPool({
    buildersDir,
    tier: "none",
    memory: makeWatchedGuard(),
    log: pino({ level: "silent" }),
    clock: fakeClock(),
  });
}

/**
 * A folder on which no builder's slot can be completed: a file system with room for six files and folders,
 * or, for who may not mount one, a slot whose output folder is there already.
 */
async function fullFolder(dir: string): Promise<() => Promise<unknown>> {
  if (isRoot) {
    await run("mount", ["-t", "tmpfs", "-o", "nr_inodes=6", "tmpfs", dir]);
    return () => run("umount", ["-l", dir]);
  }
  await mkdir(join(dir, `${process.pid}-1-${fakeClock().now().toString(36)}`, "out"), {
    recursive: true,
  });
  return async () => {};
}

test("abuse 162: a builder's slot that a full disk leaves half-made is removed", async () => {
  await using folder = await tempFolder();
  const release = await fullFolder(folder.path);
  const pool = poolIn(folder.path);
  try {
    await expect(pool.take("compile", bounds)).rejects.toMatchObject({
      code: isRoot ? "ENOSPC" : "EEXIST",
    });
    expect(await readdir(folder.path)).toEqual([]);
  } finally {
    await pool.close();
    await release();
  }
});

test("abuse 162: slots that are nobody's are removed later, those of living processes stay", async () => {
  await using folder = await tempFolder();
  const lost = `${process.pid}-99-lost`;
  const stay = [`${process.pid}-probe-1a2b`, `${process.ppid}-1-another`];
  for (const name of [lost, ...stay])
    await mkdir(join(folder.path, name, "out"), { recursive: true });
  const pool = poolIn(folder.path);
  await pool.tidy();
  expect((await readdir(folder.path)).toSorted()).toEqual(stay.toSorted());
  await pool.close();
});
