import { randomUUID } from "node:crypto";
import { z } from "zod";
import { AppError } from "../../kit/errors.ts";
import type { Database } from "../../platform/db/connect.ts";
import * as store from "./job-store.ts";
import { assertFree, keptMs, maxEnded } from "./jobs.ts";
import { lockRegistry } from "./store.ts";

/** How long a job counts as running without being renewed, in ms: then its node was lost. */
export const jobLeaseMs = 60_000;

const sealed = z.object({ keyId: z.string(), ciphertext: z.string() });
const failure = z.object({ code: z.string(), message: z.string() });

/** A job as all nodes know it. */
export const jobRecord = z.object({
  name: z.string(),
  kind: z.enum(["create", "remove"]),
  state: z.enum(["running", "done", "failed"]),
  progress: z.string().nullable(),
  startedAt: z.string(),
  node: z.string(),
  /** The sign-in link of a new site, encrypted. */
  link: sealed.nullable(),
  error: failure.nullable(),
});
export type JobRecord = z.infer<typeof jobRecord>;

export const jobResult = z.union([
  z.object({ state: z.literal("done"), link: sealed.nullable() }),
  z.object({ state: z.literal("failed"), error: failure }),
]);
export type JobResult = z.infer<typeof jobResult>;

export const begunJob = z.object({ token: z.string(), startedAt: z.string(), node: z.string() });
export type BegunJob = z.infer<typeof begunJob>;

/** The jobs of all nodes of an installation. */
export interface JobRecords {
  /** Throws `locked` if one for this site is running on any node, and `unavailable` if too many are. */
  begin(job: { name: string; kind: JobRecord["kind"]; node: string }): Promise<BegunJob>;
  /** Notes that a job is running, and its progress unless that is null. False if it is gone. */
  renew(token: string, progress: string | null): Promise<boolean>;
  end(token: string, result: JobResult): Promise<void>;
  /** Has a node's jobs count as interrupted, unless they are renewed: it has started again. */
  interrupt(node: string): Promise<void>;
  /** Forgets a job that was refused before it has changed anything. */
  cancel(token: string): Promise<void>;
  /** The newest of each site, newest first; one whose node was lost has failed. */
  list(): Promise<JobRecord[]>;
  /** Forgets a site's jobs that have ended. */
  dismiss(name: string): Promise<void>;
}

function interrupted(node: string): JobRecord["error"] {
  const message = `The server that did this (${node}) was restarted or lost before it was finished.`;
  return { code: "unavailable", message };
}

const isRunning = ({ state, is_late: isLate }: store.JobRow) =>
  state === "running" && Number(isLate) === 0;

function toRecord(row: store.JobRow): JobRecord {
  const { name, kind, progress, node, sealed_link: ciphertext, key_id: keyId } = row;
  const shared = { name, kind, progress, node, startedAt: row.started_at };
  if (row.state === "running" && !isRunning(row)) {
    return { ...shared, state: "failed", link: null, error: interrupted(node) };
  }
  const { error_code: code, error_message: message } = row;
  const link = ciphertext === null || keyId === null ? null : { ciphertext, keyId };
  const error = code === null || message === null ? null : { code, message };
  return { ...shared, state: row.state, link, error };
}

/** Opens the jobs in the registry. */
export function makeJobRecords(
  { db, dialect }: Pick<Database, "db" | "dialect">,
  { leaseMs = jobLeaseMs }: { leaseMs?: number } = {},
): JobRecords {
  const limits = { maxAgeMs: keptMs, maxEnded };
  return {
    begin: ({ name, kind, node }) =>
      db.transaction().execute(async (transaction) => {
        await lockRegistry(transaction, dialect);
        await store.deleteOldJobs(transaction, limits);
        const running = (await store.listJobs(transaction)).filter(isRunning);
        assertFree(
          running.map((job) => job.name),
          name,
        );
        const token = randomUUID();
        const job = { token, name, kind, node };
        const startedAt = await store.insertJob(transaction, job, leaseMs);
        return { token, startedAt, node };
      }),
    renew: (token, progress) => store.renewJob(db, { token, progress, leaseMs }),
    async end(token, result) {
      if (result.state === "failed") {
        const { code, message } = result.error;
        const row = { state: result.state, error_code: code, error_message: message };
        return store.endJob(db, { token, ...row });
      }
      const { state, link } = result;
      const row = { sealed_link: link?.ciphertext ?? null, key_id: link?.keyId ?? null };
      return store.endJob(db, { token, state, ...row });
    },
    interrupt: (node) => store.expireJobs(db, node),
    cancel: (token) => store.deleteJob(db, token),
    async list() {
      await store.deleteOldJobs(db, limits);
      const newest = new Map<string, JobRecord>();
      for (const row of await store.listJobs(db)) {
        if (!newest.has(row.name)) newest.set(row.name, toRecord(row));
      }
      return [...newest.values()];
    },
    dismiss: (name) => store.dismissJobs(db, name),
  };
}

const begin = z.object({ name: z.string(), kind: z.enum(["create", "remove"]) });
const renew = z.object({ token: z.string(), progress: z.string().max(1000).nullable() });
const end = z.object({ token: z.string(), result: jobResult });

/** Answers what web asks of the jobs, as the node with this name. Throws `bad_request`. */
export async function answerJobs(
  jobs: JobRecords,
  node: string,
  { action, input }: { action: string; input: unknown },
): Promise<unknown> {
  switch (action) {
    case "list":
      return { jobs: await jobs.list() };
    case "begin":
      return jobs.begin({ ...begin.parse(input), node });
    case "renew": {
      const { token, progress } = renew.parse(input);
      return { isRunning: await jobs.renew(token, progress) };
    }
    case "end": {
      const { token, result } = end.parse(input);
      await jobs.end(token, result);
      return {};
    }
    case "interrupt":
      await jobs.interrupt(node);
      return {};
    case "cancel":
      await jobs.cancel(z.string().parse(input));
      return {};
    case "dismiss":
      await jobs.dismiss(z.string().parse(input));
      return {};
    default:
      throw new AppError("bad_request", "Jobs can't do this.");
  }
}
