import { setTimeout as delay } from "node:timers/promises";
import { toAppError } from "../../kit/errors.ts";
import { type Keyring, seal, unseal } from "../../platform/secrets.ts";
import { jobLeaseMs, type JobRecord, type JobRecords, type JobResult } from "./job-records.ts";
import { keptMs, makeCheckpoint, maxEnded, type SiteJobs } from "./jobs.ts";
import type { SiteJob } from "./schema.ts";

/** The pause between attempts to note how a job has ended, in ms. */
const defaultRetryMs = 3000;

export interface SharedJobsDependencies {
  /** What all nodes know; the process of sites adds this node's name. */
  records: Omit<JobRecords, "begin" | "interrupt"> & {
    begin(job: Pick<SiteJob, "name" | "kind">): ReturnType<JobRecords["begin"]>;
    interrupt(): Promise<void>;
  };
  /** The installation's keys, which all nodes have. */
  keyring: Keyring;
  /** Gets failures that nobody expects. */
  onError(name: string, error: unknown): void;
  /** How often to note that a job is running, in ms. */
  renewMs?: number;
  retryMs?: number;
}

interface Running {
  token: string;
  /** The job as it is now. */
  view: SiteJob;
  checks: ReturnType<typeof makeCheckpoint>;
}

/** Jobs that all nodes know: one that this node does can be followed on any, also once this node is lost. */
// oxlint-disable-next-line max-lines-per-function -- one closure over one state, in short parts
export function makeSharedJobs(deps: SharedJobsDependencies): SiteJobs {
  const { records, keyring, onError, renewMs = jobLeaseMs / 4, retryMs = defaultRetryMs } = deps;
  /** Jobs of this node that have ended, as long as the registry doesn't know it. */
  const ended = new Set<SiteJob>();
  /** Links whose failure is in the log already. */
  const unreadable = new Set<string | undefined>();
  let restarted: Promise<void> | null = null;
  const purpose = (name: string) => `the sign-in link of the site ${name}`;

  function open(record: JobRecord): SiteJob {
    const { name, link } = record;
    try {
      const opened = link === null ? null : unseal(keyring, purpose(name), link);
      return Object.assign(record, { link: opened, isLinkUnreadable: false });
    } catch (error) {
      // Another node may have the key, and the owner can get another link.
      if (!unreadable.has(link?.ciphertext)) onError(name, error);
      if (unreadable.size > maxEnded) unreadable.clear();
      unreadable.add(link?.ciphertext);
      return Object.assign(record, { link: null, isLinkUnreadable: true });
    }
  }

  /** What this node did before this process was started isn't running any more. Has to precede its own jobs. */
  function interruptEarlier(): Promise<void> {
    restarted ??= records.interrupt().catch((error: unknown) => {
      restarted = null;
      throw error;
    });
    return restarted;
  }

  function findEnded({ name, startedAt }: JobRecord): SiteJob | undefined {
    return [...ended].find((job) => job.name === name && job.startedAt === startedAt);
  }

  /** Repeats this until it succeeds, for as long as a link is kept. */
  async function note(view: SiteJob, work: () => Promise<unknown>): Promise<void> {
    const deadline = performance.now() + keptMs;
    let isFirst = true;
    ended.add(view);
    try {
      for (;;) {
        try {
          await work();
          return;
        } catch (error) {
          const message = "couldn't store how a job has ended; will try again";
          if (isFirst) onError(view.name, new Error(message, { cause: error }));
          isFirst = false;
          if (performance.now() >= deadline) return;
        }
        // The process may end: then the job's lease does, too.
        await delay(retryMs, undefined, { ref: false });
      }
    } finally {
      ended.delete(view);
    }
  }

  function run({ token, view, checks }: Running, work: Parameters<SiteJobs["start"]>[1]) {
    const { name } = view;
    const renew = () => records.renew(token, view.progress).catch(() => false);
    const timer = setInterval(() => void renew(), renewMs);
    timer.unref();
    const end = (result: JobResult) => note(view, () => records.end(token, result));
    const onProgress = (progress: string) => {
      view.progress = progress;
      void renew();
      checks.pass();
    };
    const runToEnd = async () => {
      try {
        const { link } = await work(onProgress);
        Object.assign(view, { state: "done", link });
        checks.pass();
        await end({
          state: "done",
          link: link === null ? null : seal(keyring, purpose(name), link),
        });
      } catch (cause) {
        const known = toAppError(cause);
        if (known.code === "internal") onError(name, cause);
        const error = { code: known.code, message: known.message };
        Object.assign(view, { state: "failed", error });
        if (checks.isPassed) return await end({ state: "failed", error });
        // Nothing has changed, and whoever has asked for it gets the error itself.
        clearInterval(timer);
        const cancelled = note(view, () => records.cancel(token));
        await Promise.race([cancelled, delay(retryMs, undefined, { ref: false })]);
        checks.reject(known);
        return await cancelled;
      } finally {
        clearInterval(timer);
      }
      return undefined;
    };
    void runToEnd();
  }

  // Other nodes need to know, too. If it fails, the next call tries again.
  interruptEarlier().catch(() => {});
  return {
    async start({ name, kind }, work) {
      await interruptEarlier();
      const { token, startedAt, node } = await records.begin({ name, kind });
      const empty = { progress: null, link: null, isLinkUnreadable: false, error: null };
      const view: SiteJob = { name, kind, startedAt, node, state: "running", ...empty };
      const checks = makeCheckpoint();
      run({ token, view, checks }, work);
      await checks.passed;
      return { ...view };
    },
    async list() {
      await interruptEarlier();
      const known = await records.list();
      return known.map((record) => findEnded(record) ?? open(record));
    },
    dismiss: (name) => records.dismiss(name),
  };
}
