import type { ChildProcess } from "node:child_process";
import { chown, chmod, mkdir, rm } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { processTree } from "../../packages/server/src/platform/process-tree.ts";
import { findBinaries, mustRun, startServer, unprivileged } from "../support/postgres.ts";
import { type StallingProxy, startProxy } from "./proxy.ts";
import { signal } from "./processes.ts";
import { until } from "./wait.ts";

/** A durable PostgreSQL server with its data on the volume, behind a proxy. */
export interface FaultyPostgres {
  /** The address through the proxy, for the product. */
  url: string;
  /** The address of the socket, for the invariants. */
  directUrl: string;
  proxy: StallingProxy;
  /** The server's processes. */
  pids(): Promise<number[]>;
  /** Ends all other connections, like an administrator. */
  terminateBackends(): Promise<void>;
  /** Stops the server immediately, without a checkpoint. */
  kill(): Promise<void>;
  /** Restarts it if it has ended, like a service manager. */
  ensureStarted(): Promise<void>;
  close(): Promise<void>;
}

const database = "site";

async function initialise(data: string, binaries: string): Promise<void> {
  await mkdir(data, { mode: 0o700 });
  if (userInfo().uid === 0) await chown(data, unprivileged.uid, unprivileged.gid);
  const args = ["-D", data, "-U", "vitrine", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"];
  await mustRun(join(binaries, "initdb"), args, data);
}

/**
 * Starts a server with one empty database: its data in the new folder `root`, its socket in the new
 * folder `socket`, which is no data and has a short path. Everybody has to be able to enter both.
 */
export async function startFaultyPostgres(root: string, socket: string): Promise<FaultyPostgres> {
  const binaries = await findBinaries();
  const data = join(root, "data");
  await mkdir(root, { mode: 0o755 });
  await mkdir(socket, { mode: 0o777 });
  await chmod(socket, 0o777);
  await initialise(data, binaries);
  let server: ChildProcess | null = null;

  async function start(): Promise<void> {
    // What a killed server has left refuses another one only while its process lives.
    const args = ["-D", data, "-k", socket, "-c", "listen_addresses="];
    server = await startServer(join(binaries, "postgres"), args, data, false);
  }
  const isRunning = () => server !== null && server.exitCode === null && server.signalCode === null;

  await start();
  await mustRun(join(binaries, "createdb"), ["-h", socket, "-U", "vitrine", database], data);
  const proxy = await startProxy(join(socket, ".s.PGSQL.5432"));
  const directUrl = `postgres://vitrine@/${database}?host=${encodeURIComponent(socket)}`;
  const postgres: FaultyPostgres = {
    url: `postgres://vitrine@127.0.0.1:${proxy.port}/${database}`,
    directUrl,
    proxy,
    pids: async () => (isRunning() && server?.pid ? processTree(server.pid) : []),
    async terminateBackends() {
      const query = `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = '${database}' and pid <> pg_backend_pid()`;
      const args = ["-h", socket, "-U", "vitrine", "-d", database, "-c", query];
      await mustRun(join(binaries, "psql"), args, data);
    },
    async kill() {
      for (const pid of (await postgres.pids()).toReversed()) signal(pid, "SIGKILL");
      await until("the end of PostgreSQL", () => !isRunning());
    },
    async ensureStarted() {
      if (isRunning()) return;
      await rm(join(data, "postmaster.pid"), { force: true });
      await until("PostgreSQL", () => start().then(() => true), {
        timeoutMs: 60_000,
        everyMs: 500,
      });
    },
    async close() {
      await proxy.close();
      await postgres.kill();
      await rm(socket, { recursive: true, force: true });
    },
  };
  return postgres;
}
