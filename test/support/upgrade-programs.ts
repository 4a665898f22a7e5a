import { appendFileSync } from "node:fs";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { commandOf } from "../../packages/server/src/features/upgrade/programs.ts";
import { instancePaths, nodeBinary } from "../../packages/server/src/platform/paths.ts";

export const oldVersion = "1.0.0";
export const newVersion = "2.0.0";

/**
 * Writes rows until it is stopped, and notes each one in a file once it is committed: those are the
 * writes that somebody was told of.
 */
export const writerScript = `
const { DatabaseSync } = require("node:sqlite");
const { appendFileSync } = require("node:fs");
const dir = process.argv[1];
const database = new DatabaseSync(dir + "/data/vitrine.db", { timeout: 5000 });
database.exec("pragma journal_mode = wal; pragma synchronous = full");
const version = database.prepare("pragma user_version").get().user_version;
if (version !== 1) process.exit(1);
const insert = database.prepare("insert into entry (text) values ('x') returning id");
const timer = setInterval(() => {
  appendFileSync(dir + "/acknowledged", insert.get().id + "\\n");
}, 5);
process.on("SIGTERM", () => { clearInterval(timer); database.close(); process.exit(0); });
process.on("disconnect", () => process.exit(0));
// The supervisor may be killed already.
process.send("ready", () => {});
`;

/** What a trial of the new version does to the copy: its migration. */
const programScript = `
const [, , , dir, command, option, file] = process.argv;
if (command === "upgrade-trial" && option === "--database") {
  const { DatabaseSync } = require("node:sqlite");
  const database = new DatabaseSync(file);
  database.exec("pragma journal_mode = wal; begin; alter table entry add column kind text; pragma user_version = 2; commit");
  database.close();
}
if (command === "upgrade-trial" && option === "--copied") {
  require("node:fs").writeFileSync(dir + "/copied", process.env.DATABASE_URL);
}
if (command === "upgrade-finish") {
  const { readFileSync, renameSync, writeFileSync } = require("node:fs");
  const path = dir + "/data/upgrade/state.json";
  const state = { ...JSON.parse(readFileSync(path, "utf8")), phase: "done" };
  writeFileSync(path + ".next", JSON.stringify(state));
  renameSync(path + ".next", path);
}
FAIL
console.log(JSON.stringify({ ok: true, data: {}, error: null }));
`;

/** Creates a folder with a small fake program; `failure` is why its trials fail. */
export async function makeProgram(
  dir: string,
  { version = newVersion, failure }: { version?: string; failure?: string } = {},
): Promise<string> {
  const command = commandOf(dir);
  await mkdir(dirname(command), { recursive: true });
  await writeFile(join(dir, "package.json"), JSON.stringify({ version }));
  const fail =
    failure === undefined
      ? ""
      : `if (command === "upgrade-trial") { console.log(JSON.stringify({ ok: false, data: null, error: { message: ${JSON.stringify(failure)} } })); process.exit(1); }`;
  await writeFile(command, `#!${nodeBinary}\n${programScript.replace("FAIL", () => fail)}`);
  await chmod(command, 0o755);
  return dir;
}

/** Creates an instance with a database of the old version. */
export async function makeOldInstance(dir: string): Promise<void> {
  const paths = instancePaths(dir);
  await mkdir(paths.data, { recursive: true });
  const database = new DatabaseSync(paths.database);
  database.exec(
    "pragma journal_mode = wal; create table entry (id integer primary key autoincrement, text text); pragma user_version = 1",
  );
  database.close();
  appendFileSync(join(dir, "acknowledged"), "");
}

/** The database's version, whether it is intact, and which acknowledged rows it lacks. */
export async function inspectDatabase(
  dir: string,
): Promise<{ version: number; isIntact: boolean; lost: number[] }> {
  const acknowledged = (await readFile(join(dir, "acknowledged"), "utf8"))
    .split("\n")
    .filter(Boolean)
    .map(Number);
  const database = new DatabaseSync(instancePaths(dir).database);
  try {
    const get = (text: string) => database.prepare(text).get() as Record<string, unknown>;
    const rows = database.prepare("select id from entry").all() as { id: number }[];
    const ids = new Set(rows.map(({ id }) => id));
    return {
      version: Number(get("pragma user_version")["user_version"]),
      isIntact: get("pragma integrity_check")["integrity_check"] === "ok",
      lost: acknowledged.filter((id) => !ids.has(id)),
    };
  } finally {
    database.close();
  }
}
