import { signal } from "../processes.ts";
import { delay } from "../wait.ts";
import type { FaultContext, FaultKind } from "./fault.ts";
import type { FaultyPostgres } from "../postgres.ts";

type DatabaseFault = (postgres: FaultyPostgres, ms: number) => Promise<void>;

/** Faults of a database server. */
const databaseFaults: Readonly<Record<string, DatabaseFault>> = {
  "connections terminated": (postgres) => postgres.terminateBackends(),
  "connections reset": async ({ proxy }) => proxy.reset(),
  "network stalled": async ({ proxy }, ms) => {
    proxy.stall();
    await delay(ms);
    proxy.flow();
  },
  "server killed": async (postgres, ms) => {
    await postgres.kill();
    await delay(ms);
    await postgres.ensureStarted();
  },
  "server suspended": async (postgres, ms) => {
    const pids = await postgres.pids();
    for (const pid of pids) signal(pid, "SIGSTOP");
    await delay(ms);
    for (const pid of pids) signal(pid, "SIGCONT");
  },
};

/** PostgreSQL is down, slow, or breaks its connections. */
export const database: FaultKind = {
  unavailable: ({ postgres }: FaultContext) => (postgres === null ? "is about PostgreSQL" : null),
  async inject({ postgres, random }) {
    const name = random.pick(Object.keys(databaseFaults));
    const ms = random.int(1000, 12_000);
    if (postgres !== null) await databaseFaults[name]?.(postgres, ms);
    return `PostgreSQL: ${name}, ${ms} ms`;
  },
};
