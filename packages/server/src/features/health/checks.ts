import { readlink, statfs } from "node:fs/promises";
import { sql } from "kysely";
import type { Database } from "../../platform/db/connect.ts";
import { assertMigrated } from "../../platform/db/migrate.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import type { HealthCheck } from "./health.ts";

/** Below these the disk is full, or nearly so, in bytes. */
const diskDown = 16 * 1024 * 1024;
const diskDegraded = 512 * 1024 * 1024;

/** The database answers. */
export function databaseCheck(database: Database): HealthCheck {
  return {
    essential: true,
    async run() {
      await sql`select 1`.execute(database.db);
      return { status: "ok", note: database.dialect };
    },
  };
}

/** The schema is this program's. Schemas change only with a restart, so a good answer is kept. */
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
 * A release is current, so visitors get pages. It may be behind the records or the changelog's seed
 * file: `behind` tells why, in public words, and null when it isn't.
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

/** There is room to write. With none, pages and sign-in still work. */
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

/** The runner answers on its port; `ask` throws when it does not. */
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
 * How builds are kept in: anything but bubblewrap is a declared, lesser tier. `askTier` throws when
 * whoever builds gives no answer.
 */
export function sandboxCheck(askTier: () => Promise<string>): HealthCheck {
  return {
    essential: false,
    async run() {
      const tier = await askTier().catch(() => null);
      if (tier === null) return { status: "degraded", note: "not known" };
      return { status: tier === "bubblewrap" ? "ok" : "degraded", note: tier };
    },
  };
}

/**
 * What bounds the memory of builds: `cgroup v1` or `cgroup v2`, where the kernel does, or `watched`, where
 * their processes are looked at. Each is a bound, so each is well.
 */
export function memoryCheck(askMeans: () => Promise<string>): HealthCheck {
  return {
    essential: false,
    async run() {
      const means = await askMeans().catch(() => null);
      if (means === null) return { status: "degraded", note: "not known" };
      return { status: "ok", note: means };
    },
  };
}

/** Whether a model is configured; without one the literal editor works, which is no fault. */
export function modelCheck(model: () => Promise<{ name: string } | null>): HealthCheck {
  return {
    essential: false,
    run: async () => ({
      status: "ok",
      note: (await model())?.name ?? "none, the literal editor works",
    }),
  };
}

/** How mail leaves. */
export interface EmailState {
  /** Whether a provider or a server is set; without one email is only logged, which is no fault. */
  set: boolean;
  /** How many emails of the last day nobody would take until now. */
  stuck: number;
}

/** Mail that is to leave does. */
export function mailerCheck(state: () => Promise<EmailState>): HealthCheck {
  return {
    essential: false,
    async run() {
      const { set, stuck } = await state();
      if (!set) return { status: "ok", note: "none, mail is only in the log" };
      if (stuck === 0) return { status: "ok" };
      const emails =
        stuck === 1 ? "1 mail of the last day is" : `${stuck} mails of the last day are`;
      return { status: "degraded", note: `${emails} only in the log until now` };
    },
  };
}

/** How the task queue stands. */
export interface QueueState {
  /** How many tasks wait; of these, how many could be taken up now. */
  queued: number;
  due: number;
  /** Whether something could have been taken up for long while nothing was worked on. */
  stuck: boolean;
  paused: boolean;
  /** How many runners live. */
  runners: number;
}

/** What waits is taken up. A paused queue rests because the owner wants it to, which is no fault. */
export function queueCheck(state: () => Promise<QueueState>): HealthCheck {
  return {
    essential: false,
    async run() {
      const { queued, due, stuck, paused, runners } = await state();
      const waiting = `${queued === 0 ? "nothing" : queued} ${queued > 1 ? "wait" : "waits"}`;
      if (paused) return { status: "ok", note: `paused, ${waiting}` };
      if (due > 0 && runners === 0) {
        return { status: "degraded", note: `${waiting}, and nobody is there to work` };
      }
      if (stuck) return { status: "degraded", note: `${waiting}, and nothing is taken up` };
      return { status: "ok", note: waiting };
    },
  };
}
