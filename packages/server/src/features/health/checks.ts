import { readlink, statfs } from "node:fs/promises";
import { sql } from "kysely";
import type { Database } from "../../platform/db/connect.ts";
import { assertMigrated } from "../../platform/db/migrate.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import type { HealthCheck } from "./health.ts";

/** Below these limits in bytes, the disk counts as full, or almost full. */
const diskDown = 16 * 1024 * 1024;
const diskDegraded = 512 * 1024 * 1024;

/** The database responds. */
export function databaseCheck(database: Database): HealthCheck {
  return {
    essential: true,
    async run() {
      await sql`select 1`.execute(database.db);
      return { status: "ok", note: database.dialect };
    },
  };
}

/** The schema is this program's. It changes only with a restart, so a positive result is kept. */
export function migrationCheck(database: Database): HealthCheck {
  let good = false;
  return {
    essential: true,
    async run() {
      if (!good) await assertMigrated(database);
      good = true;
      return { status: "ok" };
    },
  };
}

/**
 * A release is current, so visitors get pages. It may be older than the records or the seed file:
 * `behind` returns why, as public text, or null.
 */
export function siteCheck(
  paths: InstancePaths,
  behind: () => Promise<string | null> = async () => null,
): HealthCheck {
  return {
    essential: true,
    async run() {
      const release = (await readlink(paths.current)).split("/").at(-1) ?? "";
      await statfs(paths.current);
      const reason = await behind();
      if (reason !== null) return { status: "degraded", note: reason };
      return { status: "ok", note: `release ${release}` };
    },
  };
}

/** There is space to write. Without it, pages and sign-in still work. */
export function diskCheck(dir: string): HealthCheck {
  return {
    essential: false,
    async run() {
      const { bavail, bsize } = await statfs(dir);
      const free = bavail * bsize;
      if (free < diskDown) return { status: "down", note: "the disk is full" };
      if (free < diskDegraded) return { status: "degraded", note: "the disk is nearly full" };
      return { status: "ok" };
    },
  };
}

/** The runner responds on its port; `ask` throws if it doesn't. */
export function runnerCheck(ask: () => Promise<unknown>): HealthCheck {
  return {
    essential: false,
    async run() {
      await ask();
      return { status: "ok" };
    },
  };
}

/**
 * How builds are contained: anything except bubblewrap and Landlock is a weaker tier. `askTier` throws
 * if the builder doesn't answer.
 */
export function sandboxCheck(askTier: () => Promise<string>): HealthCheck {
  return {
    essential: false,
    async run() {
      const tier = await askTier().catch(() => null);
      if (tier === null) return { status: "degraded", note: "unknown" };
      const isContained = tier === "bubblewrap" || tier === "landlock";
      return { status: isContained ? "ok" : "degraded", note: tier };
    },
  };
}

/**
 * What limits the memory of builds: `cgroup v1` or `cgroup v2` by the kernel, or `watched` by
 * watching the processes. All of them count as ok.
 */
export function memoryCheck(askMeans: () => Promise<string>): HealthCheck {
  return {
    essential: false,
    async run() {
      const means = await askMeans().catch(() => null);
      if (means === null) return { status: "degraded", note: "unknown" };
      return { status: "ok", note: means };
    },
  };
}

/** Whether a model is configured. Without one, the literal editor works, which isn't a problem. */
export function modelCheck(model: () => Promise<{ name: string } | null>): HealthCheck {
  return {
    essential: false,
    run: async () => ({
      status: "ok",
      note: (await model())?.name ?? "none; exact instructions still work",
    }),
  };
}

/** How email is sent. */
export interface EmailState {
  /**
   * Whether a provider or a server is configured; without one, email is only logged, which isn't a
   * problem.
   */
  set: boolean;
  /** How many emails of the last day haven't been accepted yet. */
  stuck: number;
}

/** Whether waiting email is being sent. */
export function mailerCheck(state: () => Promise<EmailState>): HealthCheck {
  return {
    essential: false,
    async run() {
      const { set, stuck } = await state();
      if (!set) return { status: "ok", note: "none; email is only written to the log" };
      if (stuck === 0) return { status: "ok" };
      const emails =
        stuck === 1 ? "1 email from the last day is" : `${stuck} emails from the last day are`;
      return { status: "degraded", note: `${emails} only in the log so far` };
    },
  };
}

/** The state of the task queue. */
export interface QueueState {
  /** The number of waiting tasks, and of those that could start now. */
  queued: number;
  due: number;
  /** Whether a task could have started long ago while nothing was running. */
  stuck: boolean;
  paused: boolean;
  /** The number of live runners. */
  runners: number;
}

/** Waiting tasks are being run. A queue paused by the owner isn't a problem. */
export function queueCheck(state: () => Promise<QueueState>): HealthCheck {
  return {
    essential: false,
    async run() {
      const { queued, due, stuck, paused, runners } = await state();
      const waiting =
        queued === 1 ? "1 task is waiting" : `${queued === 0 ? "no" : queued} tasks are waiting`;
      if (paused) return { status: "ok", note: `paused, ${waiting}` };
      if (due > 0 && runners === 0) {
        return { status: "degraded", note: `${waiting}, and no runner is active` };
      }
      if (stuck) return { status: "degraded", note: `${waiting}, and no task is started` };
      return { status: "ok", note: waiting };
    },
  };
}
