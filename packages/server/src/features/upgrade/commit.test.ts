import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { tempFolder, type TempFolder } from "../../../../../test/support/temp.ts";
import {
  inspectDatabase,
  makeOldInstance,
  makeProgram,
} from "../../../../../test/support/upgrade-programs.ts";
import { collapseSqlite, copySqlite } from "../../platform/db/copy-sqlite.ts";
import { acquireLock } from "../../platform/lock.ts";
import { type InstancePaths, instancePaths } from "../../platform/paths.ts";
import {
  assertNotSwitching,
  finishUpgrade,
  nextDatabase,
  resolveUpgrade,
  switchLock,
  upgradeLock,
} from "./commit.ts";
import { readUpgradeNews, updateNewestVersion } from "./newer-version.ts";
import { linkedProgram } from "./programs.ts";
import { readState, stateFile, type UpgradeState, writeState } from "./state.ts";
import { switchProgram } from "./switch.ts";

const now = Date.parse("2026-11-29T10:00:00Z");
let folder: TempFolder;
let paths: InstancePaths;

beforeEach(async () => {
  folder = await tempFolder();
  paths = instancePaths(folder.path);
  await makeOldInstance(folder.path);
  await makeProgram(join(paths.programs, "2.0.0"));
});
afterEach(() => folder.remove());

function stateOf(phase: UpgradeState["phase"]): UpgradeState {
  return {
    from: "1.0.0",
    to: "2.0.0",
    isFetched: true,
    withoutTrial: false,
    phase,
    step: "Trying",
    reason: null,
    backup: null,
    startedAt: "2026-11-29T09:00:00.000Z",
    finishedAt: null,
  };
}

/** A migrated copy that waits to be put in place. */
async function makeNext(): Promise<void> {
  await collapseSqlite(paths.database, 0);
  await copySqlite(paths.database, nextDatabase(paths));
  const database = new DatabaseSync(nextDatabase(paths));
  database.exec("pragma user_version = 2");
  database.close();
}

test.each(["preparing", "ready", "switching"] as const)(
  "an upgrade that was interrupted while %s goes back",
  async (phase) => {
    await writeState(paths, stateOf(phase));
    await makeNext();
    await resolveUpgrade(paths, now);
    expect(await readState(paths)).toMatchObject({
      phase: "failed",
      reason: "It was interrupted: Trying.",
      finishedAt: "2026-11-29T10:00:00.000Z",
    });
    expect(existsSync(nextDatabase(paths))).toBe(false);
    expect(linkedProgram(paths)).toBeNull();
    expect(await inspectDatabase(paths.dir)).toMatchObject({ version: 1 });
  },
);

test("an upgrade that was interrupted after its commit goes forward, as often as it takes", async () => {
  await writeState(paths, stateOf("committed"));
  await makeNext();
  for (let at = 0; at < 2; at += 1) {
    await resolveUpgrade(paths, now);
    expect(linkedProgram(paths)).toMatchObject({ version: "2.0.0" });
    expect(await inspectDatabase(paths.dir)).toMatchObject({ version: 2, isIntact: true });
  }
  expect(await finishUpgrade(paths, now)).toBe(true);
  expect(await finishUpgrade(paths, now)).toBe(false);
  expect(await readState(paths)).toMatchObject({ phase: "done" });
});

test("an upgrade that still runs is left alone", async () => {
  await writeState(paths, stateOf("preparing"));
  const lock = acquireLock(upgradeLock(paths));
  await resolveUpgrade(paths, now);
  expect(await readState(paths)).toMatchObject({ phase: "preparing" });
  lock?.release();
  await resolveUpgrade(paths, now);
  expect(await readState(paths)).toMatchObject({ phase: "failed" });
});

test("nothing opens the database while it is replaced", async () => {
  await expect(assertNotSwitching(paths)).resolves.toBeUndefined();
  await writeState(paths, stateOf("switching"));
  const lock = acquireLock(switchLock(paths));
  await expect(assertNotSwitching(paths)).rejects.toMatchObject({ code: "locked" });
  lock?.release();
  // Whoever switched is dead: the next start goes back, and the database is what it was.
  await expect(assertNotSwitching(paths)).resolves.toBeUndefined();
  await writeState(paths, stateOf("committed"));
  await expect(assertNotSwitching(paths)).resolves.toBeUndefined();
  await makeNext();
  await expect(assertNotSwitching(paths)).rejects.toMatchObject({ code: "locked" });
});

test("a switch waits for whoever has the database open, and gives up", async () => {
  const other = new DatabaseSync(paths.database);
  other.exec("pragma journal_mode = wal; insert into entry (text) values ('mine')");
  await expect(collapseSqlite(paths.database, 100)).rejects.toMatchObject({ code: "in_use" });
  other.close();
  await expect(collapseSqlite(paths.database, 100)).resolves.toBeUndefined();
});

test("only an upgrade that is still ready is switched", async () => {
  const unused = () => Promise.reject(new Error("isn't called"));
  const deps = {
    paths,
    now: () => now,
    trial: { database: unused, postgres: null },
    stop: unused,
    resume() {},
  };
  await writeState(paths, stateOf("failed"));
  await expect(switchProgram(deps, stateOf("ready"))).rejects.toMatchObject({ code: "conflict" });
  await writeState(paths, { ...stateOf("ready"), startedAt: "2026-11-29T09:30:00.000Z" });
  await expect(switchProgram(deps, stateOf("ready"))).rejects.toMatchObject({ code: "conflict" });
});

test("a damaged state counts as none", async () => {
  await mkdir(paths.upgrade, { recursive: true });
  await writeFile(stateFile(paths), "{");
  expect(await resolveUpgrade(paths, now)).toBeNull();
});

test("the network is asked once a day, and a failure isn't repeated at once", async () => {
  let asked = 0;
  let newest = async (): Promise<string | null> => "2.0.0";
  const source = async () => {
    asked += 1;
    return { newest: () => newest() };
  };
  const news = (isCheckOn: boolean, version = "1.0.0") =>
    readUpgradeNews(paths, { version, now, isCheckOn });
  await updateNewestVersion(paths, { now, source });
  await updateNewestVersion(paths, { now: now + 3_600_000, source });
  expect(asked).toBe(1);
  expect(await news(true)).toMatchObject({ available: "2.0.0", failed: null });
  expect(await news(false)).toMatchObject({ available: null });
  expect(await news(true, "2.0.0")).toMatchObject({ available: null });
  const tomorrow = now + 25 * 3_600_000;
  newest = () => Promise.reject(new Error("no network"));
  await expect(updateNewestVersion(paths, { now: tomorrow, source })).rejects.toThrow("no network");
  await updateNewestVersion(paths, { now: tomorrow + 1, source });
  expect(asked).toBe(2);
  expect(await news(true)).toMatchObject({ available: "2.0.0" });
});
