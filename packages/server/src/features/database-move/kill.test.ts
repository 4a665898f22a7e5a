import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type Bundle, bundleProgram } from "../../../../../test/support/bundle.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { fillDatabase } from "../../../../../test/support/filled-database.ts";
import { copyMigratedDatabase } from "../../../../../test/support/migrated-database.ts";
import { type DatabaseMaker, startDialect } from "../../../../../test/support/postgres.ts";
import { tempFolder } from "../../../../../test/support/temp.ts";
import { systemClock } from "../../kit/clock.ts";
import { mapConcurrently } from "../../kit/concurrency.ts";
import { chooseDatabase } from "../../platform/active-database.ts";
import { openDatabase } from "../../platform/db/connect.ts";
import { assertMigrated } from "../../platform/db/migrate.ts";
import { instancePaths, nodeBinary } from "../../platform/paths.ts";
import { moveDatabase } from "./move.ts";
import { resolveMove } from "./resolve.ts";
import { stateFile } from "./state.ts";

/** Where a move is killed, in order. */
const points = [
  "begun",
  "target prepared",
  "copying finding",
  "ready",
  "switching",
  "frozen",
  "copied what has changed",
  "verified",
  "target has all keys",
  "committed",
  "target complete",
  "source set aside",
] as const;
type Point = (typeof points)[number];

let maker: DatabaseMaker;
let harness: Bundle;
let writer: Bundle;
beforeAll(async () => {
  maker = await startDialect("postgres", { empty: true });
  harness = await bundleProgram("move-process.ts");
  writer = await bundleProgram("move-writer.ts");
});
afterAll(async () => {
  await maker.close();
  await harness.remove();
  await writer.remove();
});

interface Running {
  child: ChildProcess;
  ended: Promise<string>;
}

const started = new Set<Running>();

function run(...args: string[]): Running {
  const child = spawn(nodeBinary, [harness.file, ...args], {
    env: { ...process.env, ...harness.env },
    stdio: ["ignore", "pipe", 2],
  });
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (output += text));
  const ended = new Promise<string>((done) => void child.once("close", () => done(output)));
  const running = { child, ended };
  started.add(running);
  void ended.then(() => started.delete(running));
  return running;
}

function acknowledged(dir: string): number[] {
  const file = join(dir, "acknowledged");
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8").split("\n").filter(Boolean).map(Number);
}

/** Starting processes takes long on a machine that does much else, in ms. */
const startTimeoutMs = 60_000;

const moreThan = (dir: string, count: number) =>
  eventually(() => {
    expect(acknowledged(dir).length).toBeGreaterThan(count);
  }, startTimeoutMs);

/** Whether a database serves as the instance's: it has the schema and accepts writes. */
async function serves(address: { url: string | null; file: string }): Promise<boolean> {
  if (address.url === null && !existsSync(address.file)) return false;
  const database = openDatabase(address);
  try {
    await assertMigrated(database);
    await sql`update setting set value = value`.execute(database.db);
    return true;
  } catch {
    return false;
  } finally {
    await database.close();
  }
}

async function expectNothingLost(dir: string, address: { url: string | null; file: string }) {
  const database = openDatabase(address);
  try {
    const { rows } = await sql<{ id: number }>`select id from admin_log`.execute(database.db);
    const ids = new Set(rows.map(({ id }) => id));
    expect(acknowledged(dir).filter((id) => !ids.has(id))).toEqual([]);
    expect(ids.size).toBe(rows.length);
  } finally {
    await database.close();
  }
}

/** Exactly one database serves, the one that the instance chooses, with every acknowledged row. */
async function expectOneDatabase(dir: string, url: string): Promise<string | null> {
  const paths = instancePaths(dir);
  const file = paths.database;
  const { databaseUrl } = chooseDatabase(paths, null);
  expect(existsSync(stateFile(paths))).toBe(false);
  expect(await serves({ url: databaseUrl, file })).toBe(true);
  expect(await serves(databaseUrl === null ? { url, file: "" } : { url: null, file })).toBe(false);
  await expectNothingLost(dir, { url: databaseUrl, file });
  return databaseUrl;
}

/** An instance with rows in every table, whose records are in `from`. */
async function makeInstance(dir: string, from: "sqlite" | "postgres"): Promise<string> {
  const paths = instancePaths(dir);
  await mkdir(paths.data, { recursive: true });
  await copyMigratedDatabase(paths.database);
  fillDatabase(paths.database);
  await writeFile(join(dir, "acknowledged"), "1\n2\n3\n");
  const url = (await maker.make()).address.url ?? "";
  if (from === "postgres") await moveTo(dir, url);
  return url;
}

/** Moves an instance that isn't running. */
async function moveTo(dir: string, url: string | null): Promise<void> {
  const paths = instancePaths(dir);
  const { databaseUrl } = chooseDatabase(paths, null);
  const { signal } = new AbortController();
  const deps = { given: null, clock: systemClock, signal, onProgress() {} };
  await moveDatabase({ ...deps, config: { paths, databaseUrl } }, { url });
}

/** Whether the target serves after a kill; has the next run of the command continue if not. */
async function hasMoved(dir: string, to: { url: string; target: string | null }): Promise<boolean> {
  if ((await expectOneDatabase(dir, to.url)) === to.target) return true;
  await moveTo(dir, to.target);
  expect(await expectOneDatabase(dir, to.url)).toBe(to.target);
  return false;
}

const isCommitted = (point: Point) => points.indexOf(point) >= points.indexOf("committed");

/** Kills the command, and then does what the next start or command does. */
async function killCommand(
  dir: string,
  point: Point,
  from: "sqlite" | "postgres",
): Promise<boolean> {
  const url = await makeInstance(dir, from);
  const target = from === "sqlite" ? url : null;
  await run("move", dir, target ?? "sqlite", point).ended;
  await resolveMove(instancePaths(dir));
  return hasMoved(dir, { url, target });
}

test("abuse 213: a kill at any step of a move leaves one database that serves", async () => {
  await using root = await tempFolder();
  const kills = points.map((point, at) => ({ point, at }));
  const moved = await mapConcurrently(kills, 2, ({ point, at }) =>
    killCommand(join(root.path, String(at)), point, at % 2 === 0 ? "sqlite" : "postgres"),
  );
  expect(moved).toEqual(points.map(isCommitted));
}, 300_000);

test("abuse 213: a supervisor whose move is killed resolves it and serves on, and no write is lost", async () => {
  await using root = await tempFolder();
  onTestFinished(() => started.forEach(({ child }) => child.kill("SIGKILL")));
  for (const point of ["ready", "frozen", "committed"] as const) {
    const dir = join(root.path, point);
    const paths = instancePaths(dir);
    const url = await makeInstance(dir, "sqlite");
    const serving = run("serve", dir, writer.file);
    await moreThan(dir, 3);
    await run("move", dir, url, point).ended;
    await eventually(() => expect(existsSync(stateFile(paths))).toBe(false), startTimeoutMs);
    await moreThan(dir, acknowledged(dir).length);
    serving.child.kill("SIGTERM");
    await serving.ended;
    expect(await hasMoved(dir, { url, target: url })).toBe(isCommitted(point));
  }
}, 300_000);
