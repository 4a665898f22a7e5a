import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { appendFile, chmod, chown, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import {
  type Database,
  type Dialect,
  openDatabase,
} from "../../packages/server/src/platform/db/connect.ts";
import { exists } from "../../packages/server/src/platform/files.ts";
import { run, systemPath } from "../../packages/server/src/platform/process.ts";
import { migrate } from "../../packages/server/src/platform/db/migrate.ts";
import { copyMigratedDatabase } from "./migrated-database.ts";
import { tempFolder } from "./temp.ts";

/** A separate PostgreSQL server, only on a Unix socket. */
export interface PostgresServer extends AsyncDisposable {
  /**
   * Creates a database and returns its address; on the shared server, it has this program's schema.
   */
  createDatabase(options?: { empty: boolean }): Promise<string>;
  stop(): Promise<void>;
}

/** PostgreSQL refuses to run as root; Debian's `nobody` is on every machine. */
export const unprivileged = { uid: 65_534, gid: 65_534 };

/** The folder with the newest installed version of PostgreSQL's programs. */
export async function findBinaries(): Promise<string> {
  const root = "/usr/lib/postgresql";
  const versions = (await exists(root)) ? await readdir(root) : [];
  const places = [
    ...versions
      .toSorted((a, b) => Number(b) - Number(a))
      .map((version) => join(root, version, "bin")),
    ...systemPath.split(":"),
  ];
  for (const place of places) if (await exists(join(place, "initdb"))) return place;
  throw new Error("PostgreSQL is missing. `node scripts/system-tools.ts --test` installs it.");
}

/** A command that runs a program as a user that PostgreSQL accepts. */
export function asUser(binary: string, args: string[]): [string, string[]] {
  if (userInfo().uid !== 0) return [binary, args];
  const { uid, gid } = unprivileged;
  return ["setpriv", [`--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", binary, ...args]];
}

/** Runs one of PostgreSQL's programs; throws with its error output. */
export async function mustRun(binary: string, args: string[], cwd: string): Promise<void> {
  const env = { PATH: systemPath, LC_ALL: "C.UTF-8", HOME: cwd };
  const result = await run(...asUser(binary, args), { cwd, env });
  if (result.exitCode !== 0) throw new Error(`${binary} failed: ${result.stderr}`);
}

/** Starts a server; resolves when it accepts connections, rejects if it ends before. */
export function startServer(
  binary: string,
  args: string[],
  cwd: string,
  detached: boolean,
): Promise<ChildProcess> {
  const { promise, resolve, reject } = Promise.withResolvers<ChildProcess>();
  const [command, all] = asUser(binary, args);
  const env = { PATH: systemPath, LC_ALL: "C.UTF-8", HOME: cwd };
  const child = spawn(command, all, { cwd, env, stdio: ["ignore", "ignore", "pipe"], detached });
  let log = "";
  child.stderr.on("data", (chunk: Buffer) => {
    log += chunk.toString();
    if (log.includes("ready to accept connections")) resolve(child);
  });
  child.once("exit", (code) => reject(new Error(`PostgreSQL ended with ${code}: ${log}`)));
  child.once("error", reject);
  return promise;
}

interface Cluster {
  binaries: string;
  data: string;
  socket: string;
  process: ChildProcess;
}

/**
 * Creates a server's files in `data` and starts it; a shared server outlives the process that
 * started it.
 */
async function startCluster(
  data: string,
  { durable, shared, address = "" }: { durable: boolean; shared: boolean; address?: string },
): Promise<Cluster> {
  const binaries = await findBinaries();
  await mkdir(data, { mode: 0o700 });
  if (userInfo().uid === 0) await chown(data, unprivileged.uid, unprivileged.gid);
  const socket = join(data, "socket");
  await mustRun(
    join(binaries, "initdb"),
    ["-D", data, "-U", "vitrine", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"],
    data,
  );
  await mkdir(socket, { mode: 0o777 });
  await chmod(socket, 0o777);
  if (address !== "") {
    await appendFile(join(data, "pg_hba.conf"), `host all all ${address}/24 trust\n`);
  }
  const settings = [
    `listen_addresses=${address}`,
    ...(durable ? [] : ["fsync=off", "autovacuum=off"]),
    ...(shared ? ["max_connections=400"] : []),
  ];
  const server = await startServer(
    join(binaries, "postgres"),
    ["-D", data, "-k", socket, ...settings.flatMap((setting) => ["-c", setting])],
    data,
    shared,
  );
  return { binaries, data, socket, process: server };
}

type Place = Pick<Cluster, "binaries" | "data" | "socket">;

/** Creates a database on a server, empty or as a copy of its template, and returns its address. */
async function createDatabaseIn(
  { binaries, data, socket }: Place,
  { name, template = "template1" }: { name?: string; template?: string } = {},
): Promise<string> {
  // Not by our number: among so many processes that a run starts, another test file gets it again.
  const own = name ?? `test_${randomBytes(8).toString("hex")}`;
  const args = ["-h", socket, "-U", "vitrine", "-T", template, own];
  await mustRun(join(binaries, "createdb"), args, data);
  return `postgres://vitrine@/${own}?host=${encodeURIComponent(socket)}`;
}

/**
 * Starts a temporary PostgreSQL (about 1 s) in a separate folder; `stop` ends and removes it. A
 * `durable` one writes like a real one, for comparing speeds. With an `address`, it also listens there, for
 * everybody in the same /24.
 */
export async function startPostgres({
  durable = false,
  address = "",
} = {}): Promise<PostgresServer> {
  const folder = await tempFolder();
  await chmod(folder.path, 0o755);
  const cluster = await startCluster(join(folder.path, "data"), {
    durable,
    shared: false,
    address,
  });
  const stop = async () => {
    const ended = new Promise((resolve) => cluster.process.once("exit", resolve));
    cluster.process.kill("SIGINT");
    await ended;
    await folder.remove();
  };
  return { createDatabase: () => createDatabaseIn(cluster), stop, [Symbol.asyncDispose]: stop };
}

/** The database with this program's schema, which others are copied from. */
const migratedName = "migrated";

async function startShared(folder: string): Promise<void> {
  try {
    const cluster = await startCluster(join(folder, "data"), { durable: false, shared: true });
    const url = await createDatabaseIn(cluster, { name: migratedName });
    const database = openDatabase({ url, file: "" });
    await migrate({ database, now: 0 });
    await database.close();
    // It continues without this process: scripts/test.ts ends it by its PID file.
    cluster.process.stderr?.destroy();
    cluster.process.unref();
    await writeFile(join(folder, "state"), "ready");
  } catch (error) {
    await writeFile(join(folder, "state"), String(error));
  }
}

/** The server shared by all tests of a run; the first one that needs it starts it. */
async function sharedPostgres(shelf: string): Promise<PostgresServer> {
  const folder = join(shelf, "postgres");
  await mkdir(shelf, { recursive: true });
  const isFirst = await mkdir(folder, { mode: 0o755 }).then(
    () => true,
    () => false,
  );
  if (isFirst) await startShared(folder);
  let state = "";
  while (state === "") {
    state = await readFile(join(folder, "state"), "utf8").catch(() => "");
    if (state === "") await new Promise((resolve) => setTimeout(resolve, 50));
  }
  if (state !== "ready") throw new Error(state);
  const data = join(folder, "data");
  const place = { binaries: await findBinaries(), data, socket: join(data, "socket") };
  const stop = async () => {};
  const createDatabase = (options?: { empty: boolean }) =>
    createDatabaseIn(place, options?.empty ? {} : { template: migratedName });
  return { createDatabase, stop, [Symbol.asyncDispose]: stop };
}

/** The server that all tests of a run share; one of its own where the tests run without scripts/test.ts. */
export const startTestPostgres = (): Promise<PostgresServer> => {
  const shelf = process.env["TEST_SHELF"];
  return shelf === undefined ? startPostgres() : sharedPostgres(shelf);
};

/** Databases of one dialect, each with its address for other processes. */
export interface DatabaseMaker {
  make(): Promise<{ database: Database; address: { url: string | null; file: string } }>;
  /** Closes and removes all databases that it has created. */
  close(): Promise<void>;
}

export const dialects = ["sqlite", "postgres"] as const;

/**
 * Prepares one dialect: the same test runs on each. Databases may have this program's schema already,
 * unless they are to be `empty`; `migrate` is to be called all the same.
 */
export async function startDialect(
  dialect: Dialect,
  options: { durable?: boolean; empty?: boolean } = {},
): Promise<DatabaseMaker> {
  const { empty = false } = options;
  const folder = await tempFolder();
  const start = () => (options.durable ? startPostgres(options) : startTestPostgres());
  const server = dialect === "postgres" ? await start() : null;
  const opened: Database[] = [];
  return {
    async make() {
      const file = join(folder.path, `${opened.length}.db`);
      const address = { url: (await server?.createDatabase({ empty })) ?? null, file };
      if (!server && !empty) await copyMigratedDatabase(file);
      const database = openDatabase(address);
      opened.push(database);
      return { database, address };
    },
    async close() {
      for (const database of opened) await database.close().catch(() => {});
      await server?.stop();
      await folder.remove();
    },
  };
}
