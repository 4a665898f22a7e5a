import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { silentLog } from "../../../../test/support/publish/publish-instance.ts";
import { tempFolder } from "../../../../test/support/temp.ts";
import { systemClock } from "../kit/clock.ts";
import { makeUseNotes } from "./copy-use.ts";
import { copyPaths, readLastUse } from "./site-copy-files.ts";

test("the use of a copy is noted about once a minute, and a failure keeps nothing from being served", async () => {
  await using folder = await tempFolder();
  const paths = copyPaths(folder.path, "anna");
  const file = join(paths.data, "copy-used");
  const error = vi.spyOn(silentLog, "error");
  let now = 1_000_000;
  const clock = { ...systemClock, monotonic: () => now };
  const noteUse = makeUseNotes({ sites: folder.path, clock, log: silentLog });
  // Nothing can be written there, as on a full disk.
  await mkdir(file, { recursive: true });
  await noteUse("anna");
  now += 61_000;
  await noteUse("anna");
  expect(error).toHaveBeenCalledTimes(1);
  await rm(file, { recursive: true });
  await noteUse("anna");
  expect(await readLastUse(paths)).toBeNull();
  now += 61_000;
  await noteUse("anna");
  expect(await readLastUse(paths)).not.toBeNull();
  await rm(file);
  await noteUse("anna");
  expect(await readLastUse(paths)).toBeNull();
});
