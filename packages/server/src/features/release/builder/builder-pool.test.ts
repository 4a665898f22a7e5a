import { execFile } from "node:child_process";
import { mkdir, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { pino } from "pino";
import { expect, test } from "vitest";
import { fakeClock } from "../../../../../../test/support/clock.ts";
import { eventually } from "../../../../../../test/support/eventually.ts";
import { isRoot } from "../../../../../../test/support/publish/machine.ts";
import { tempFolder } from "../../../../../../test/support/temp.ts";
import { makeWatchedGuard } from "vitrine-qa/src/system/memory.ts";
import { idleMs, makeBuilderPool } from "./builder-pool.ts";

const run = promisify(execFile);

const bounds = { processes: 64, memoryBytes: 2 ** 30, outputBytes: 2 ** 20, cpuSeconds: 60 };

function poolIn(buildersDir: string, clock = fakeClock()) {
  return makeBuilderPool({
    buildersDir,
    tier: "none",
    memory: makeWatchedGuard(),
    log: pino({ level: "silent" }),
    clock,
    code: null,
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

test("builders that wait for a job are let go when nobody has needed them for a while", async () => {
  await using folder = await tempFolder();
  const clock = fakeClock();
  const pool = poolIn(folder.path, clock);
  const slots = async () => (await readdir(folder.path)).toSorted();
  const passTime = async (ms: number) => {
    clock.advance(ms);
    await pool.tidy();
  };
  try {
    expect(await slots()).toEqual([]);
    pool.prepare(bounds);
    await pool.waitUntilWarm();
    const first = await slots();
    expect(first).toHaveLength(2);
    await passTime(idleMs - 1);
    // Needed again, the same ones stay.
    pool.prepare(bounds);
    await passTime(idleMs - 1);
    expect(await slots()).toEqual(first);
    await passTime(1);
    await eventually(async () => expect(await slots()).toEqual([]));
    pool.prepare(bounds);
    // Let go while they are still starting, they leave nothing behind, either.
    await passTime(idleMs);
    pool.prepare(bounds);
    await pool.waitUntilWarm();
    const builder = await pool.take("render", bounds);
    expect([builder.isAlive(), first.includes(basename(builder.slot.dir))]).toEqual([true, false]);
  } finally {
    await pool.close();
  }
  expect(await slots()).toEqual([]);
});
