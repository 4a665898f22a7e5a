import { readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { openDatabase } from "../../../packages/server/src/platform/db/connect.ts";
import { resourcesOf } from "../processes.ts";
import type { Site } from "../site.ts";
import { quantile } from "../table.ts";

/** The processes that live as long as the product does. */
export const lasting = ["supervisor", "front", "web", "runner"] as const;
export type Lasting = (typeof lasting)[number];

/** What a product holds at a moment without load. */
export interface IdleState {
  files: Record<Lasting, number>;
  /** How many files of the SQLite database are open, or connections to PostgreSQL. */
  connections: number;
  processes: number;
  temporary: string[];
}

async function databaseFiles(pid: number, file: string): Promise<number> {
  const names = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const targets = await Promise.all(
    names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => "")),
  );
  return targets.filter((target) => target.startsWith(file)).length;
}

async function connectionsOf(
  { product, postgres }: Site,
  pids: readonly number[],
): Promise<number> {
  if (postgres === null) {
    const counts = pids.map((pid) => databaseFiles(pid, product.paths.database));
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  }
  const database = openDatabase({ url: postgres.directUrl, file: "" });
  try {
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(database.db);
    return Number(rows[0]?.n ?? 0);
  } finally {
    await database.close();
  }
}

/** Measures an idle product. */
export async function measureIdleState(site: Site): Promise<IdleState> {
  const { product } = site;
  const processes = await product.processes();
  const pidOf = (kind: Lasting) => processes.find((one) => one.kind === kind)?.pid ?? 0;
  const files = { supervisor: 0, front: 0, web: 0, runner: 0 };
  for (const kind of lasting) files[kind] = (await resourcesOf(pidOf(kind))).files;
  return {
    files,
    connections: await connectionsOf(
      site,
      processes.map(({ pid }) => pid),
    ),
    processes: processes.length,
    temporary: await readdir(join(product.root, "tmp")),
  };
}

/** How much memory of its own a lasting process held, in bytes, and when (ms since the first sample). */
interface Sample {
  at: number;
  kind: Lasting;
  pid: number;
  bytes: number;
}

export interface MemoryWatch {
  /** Ends it, and gives the growth of each process. */
  stop(): Promise<Growth[]>;
}

export interface Growth {
  kind: Lasting;
  /** Medians of the first and of the last fifth of the time, in bytes. */
  first: number;
  last: number;
  /** Whether it was the same process all the time. */
  isOne: boolean;
}

function growthOf(samples: readonly Sample[], kind: Lasting): Growth {
  const own = samples.filter((sample) => sample.kind === kind);
  const end = own.at(-1)?.at ?? 0;
  const median = (part: readonly Sample[]) =>
    quantile(
      part.map(({ bytes }) => bytes),
      0.5,
    );
  return {
    kind,
    first: median(own.filter(({ at }) => at <= end / 5)),
    last: median(own.filter(({ at }) => at >= (end * 4) / 5)),
    // In between, a child that is being started may still carry the name of its parent.
    isOne: own.at(0)?.pid === own.at(-1)?.pid,
  };
}

/** Looks at the memory of the lasting processes every two seconds. */
export function watchMemory({ product }: Site): MemoryWatch {
  const samples: Sample[] = [];
  const began = performance.now();
  const look = async () => {
    for (const { pid, kind } of await product.processes()) {
      const known = lasting.find((one) => one === kind);
      if (known === undefined) continue;
      const { bytes } = await resourcesOf(pid);
      samples.push({ at: performance.now() - began, kind: known, pid, bytes });
    }
  };
  let looking = Promise.resolve();
  const timer = setInterval(() => (looking = look().catch(() => {})), 2000);
  return {
    async stop() {
      clearInterval(timer);
      await looking;
      return lasting.map((kind) => growthOf(samples, kind));
    },
  };
}
