import { link, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fakeClock } from "../../../../test/support/clock.ts";
import { tempFolder } from "../../../../test/support/temp.ts";
import { makeDiskQuota } from "./disk-quota.ts";
import { diskUsage } from "./disk-usage.ts";

const mebibyte = 2 ** 20;

test("files with several names count once, and what is missing counts nothing", async () => {
  await using folder = await tempFolder();
  await mkdir(join(folder.path, "releases/1"), { recursive: true });
  await writeFile(join(folder.path, "a"), Buffer.alloc(mebibyte, 1));
  await link(join(folder.path, "a"), join(folder.path, "releases/1/a"));
  const bytes = await diskUsage(folder.path);
  expect(bytes).toBeGreaterThanOrEqual(mebibyte);
  expect(bytes).toBeLessThan(1.5 * mebibyte);
  expect(await diskUsage(join(folder.path, "none"))).toBe(0);
});

test("abuse 216: a site can't use more disk space than it may, also with many uploads at once", async () => {
  await using folder = await tempFolder();
  const clock = fakeClock(0);
  const quota = makeDiskQuota({ dir: folder.path, maxMiB: 10, clock });
  await writeFile(join(folder.path, "a"), Buffer.alloc(4 * mebibyte, 1));
  const asked = await Promise.allSettled([1, 2, 3].map(() => quota.assertRoom(2.5 * mebibyte)));
  expect(asked.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
  await expect(quota.assertRoom(mebibyte * 2)).rejects.toMatchObject({
    code: "disk_full",
    message: expect.stringContaining("may use 10 MiB"),
  });
  // A build needs room to publish what frees space.
  await quota.assertReserve();
  await writeFile(join(folder.path, "b"), Buffer.alloc(9 * mebibyte, 1));
  clock.advance(60_000);
  await expect(quota.assertReserve()).rejects.toMatchObject({ code: "disk_full" });
  await rm(join(folder.path, "b"));
  clock.advance(60_000);
  await quota.assertRoom(5 * mebibyte);
});

test("what is asked for again by the same name counts once", async () => {
  await using folder = await tempFolder();
  const clock = fakeClock(0);
  const quota = makeDiskQuota({ dir: folder.path, maxMiB: 10, clock });
  await quota.assertRoom(6 * mebibyte, "a");
  await quota.assertRoom(6 * mebibyte, "a");
  await quota.assertRoom(2 * mebibyte, "a");
  await quota.assertRoom(3 * mebibyte, "b");
  await expect(quota.assertRoom(5 * mebibyte, "b")).rejects.toMatchObject({ code: "disk_full" });
  // Then, what was asked for is measured, and of one that hasn't been stored, nothing is left.
  clock.advance(60_000);
  await quota.assertRoom(9 * mebibyte, "b");
});

test("without a limit, nothing is measured", async () => {
  const quota = makeDiskQuota({ dir: "/nowhere", maxMiB: null, clock: fakeClock(0) });
  const asked = [quota.assertRoom(Number.MAX_SAFE_INTEGER), quota.assertReserve()];
  expect(await Promise.all(asked)).toEqual([undefined, undefined]);
});
