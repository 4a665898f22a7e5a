import { setTimeout as delay } from "node:timers/promises";
import { toAppError } from "../../kit/errors.ts";
import { type Keyring, type Sealed, seal, unseal } from "../../platform/secrets.ts";
import { jobLeaseMs, type JobRecord, type JobRecords, type JobResult } from "./job-records.ts";
import { makeCheckpoint, type SiteJobs } from "./jobs.ts";
import type { SiteJob } from "./schema.ts";

/** How often to try to note how a job has ended, and the pause between, in ms. */
const maxAttempts = 10;
const retryMs = 3000;

export interface SharedJobsDependencies {
  /** What all nodes know; the process of sites adds this node's name. */
  records: Omit<JobRecords, "begin"> & {
    begin(job: Pick<SiteJob, "name" | "kind">): ReturnType<JobRecords["begin"]>;
  };
  /** The installation's keys, which all nodes have. */
  keyring: Keyring;
  /** Gets failures that nobody expects. */
  onError(name: string, error: unknown): void;
  /** How often to note that a job is running, in ms. */
  renewMs?: number;
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
  const { records, keyring, onError, renewMs = jobLeaseMs / 4 } = deps;
  const purpose = (name: string) => `the sign-in link of the site ${name}`;

  function openLink({ name, link }: Pick<JobRecord, "name"> & { link: Sealed | null }) {
    try {
      return link === null ? null : unseal(keyring, purpose(name), link);
    } catch (error) {
      // Its owner can get another one.
      onError(name, error);
      return null;
    }
  }

  async function note(name: string, work: () => Promise<unknown>): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await work();
        return;
      } catch (error) {
        if (attempt === maxAttempts) return onError(name, error);
      }
      await delay(retryMs);
    }
  }

  function run({ token, view, checks }: Running, work: Parameters<SiteJobs["start"]>[1]) {
    const { name } = view;
    const renew = () => records.renew(token, view.progress).catch(() => false);
    const timer = setInterval(() => void renew(), renewMs);
    const end = (result: JobResult) => note(name, () => records.end(token, result));
    const onProgress = (progress: string) => {
      view.progress = progress;
      void renew();
      checks.pass();
    };
    const runToEnd = async () => {
      try {
        const { link } = await work(onProgress);
        Object.assign(view, { state: "done", link });
        await end({
          state: "done",
          link: link === null ? null : seal(keyring, purpose(name), link),
        });
        checks.pass();
      } catch (cause) {
        const known = toAppError(cause);
        if (known.code === "internal") onError(name, cause);
        const error = { code: known.code, message: known.message };
        Object.assign(view, { state: "failed", error });
        if (checks.isPassed) return end({ state: "failed", error });
        // Nothing has changed, and whoever has asked for it gets the error itself.
        await note(name, () => records.cancel(token));
        checks.reject(known);
      } finally {
        clearInterval(timer);
      }
      return undefined;
    };
    void runToEnd();
  }

  return {
    async start({ name, kind }, work) {
      const { token, startedAt, node } = await records.begin({ name, kind });
      const empty = { progress: null, link: null, error: null };
      const view: SiteJob = { name, kind, startedAt, node, state: "running", ...empty };
      const checks = makeCheckpoint();
      run({ token, view, checks }, work);
      await checks.passed;
      return { ...view };
    },
    async list() {
      const known = await records.list();
      return known.map((record) => Object.assign(record, { link: openLink(record) }));
    },
    dismiss: (name) => records.dismiss(name),
  };
}
