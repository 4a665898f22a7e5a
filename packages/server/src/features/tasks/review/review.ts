import type { RunChange } from "../../runs/run-change.ts";
import type { ReviewReason, TaskScope } from "../schema.ts";
import { scopeReasons } from "./rules/scope-reasons.ts";
import type { AttachedImage } from "./rules/review-context.ts";
import { compareInWorker, CompareFailed } from "./comparison.ts";
import { type ReasonInput, reasonsOf } from "./reasons.ts";
import { renderedReasons } from "./rendered/rendered.ts";
import type { ReviewBrowser } from "./rendered/review-browser.ts";

// `baseUrl` is the site's own address (config.baseUrl), which isn't an external origin. Without it,
// the site's own full address counts like any other origin, which the live site usually contains as
// well.

export interface ReviewJob extends ReasonInput {
  /** The artifact's folder; its manifest is `<artifactDir>.json` next to it. */
  artifactDir: string;
  /** The live release's folder, or a link to it; null before the first release. */
  liveDir: string | null;
  /** What the task is about; nothing else goes live unattended. */
  scope: TaskScope;
  /** The changelog entry that the artifact was built with; null without one. */
  entry?: RunChange | null | undefined;
  /** The images attached to the task. */
  attachedImages?: readonly AttachedImage[] | undefined;
  /** The folder that builds copy to /media/. */
  mediaDir?: string | null | undefined;
  /** Whether to compare both versions in a browser, too; defaults to true. */
  comparesAppearance?: boolean | undefined;
  /** Starts a browser that shows both versions; null if there is none. */
  browser: ReviewBrowser | null;
  /** The site's own address. */
  baseUrl?: string | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * The reasons why a change needs review; without any, it may be published unattended. The built
 * site is compared with the live one: a rule within the task's scope has to allow every difference,
 * and what visitors see in a browser has to stay the same where the change isn't about it. Code,
 * external addresses, unusual size, errors found by checks, and everything that can't be analyzed
 * are named separately. In doubt, there is a reason. Throws the signal's reason when aborted.
 */
export async function reviewChange(job: ReviewJob): Promise<ReviewReason[]> {
  const { artifactDir, liveDir, baseUrl, signal, scope, files, browser } = job;
  const { comparesAppearance = true } = job;
  signal?.throwIfAborted();
  const site = (baseUrl && URL.parse(baseUrl)) || null;
  try {
    const { found, verdict } = await compareInWorker(
      {
        artifactDir,
        liveDir,
        host: site?.host ?? null,
        scope,
        entry: job.entry ?? null,
        origin: site?.origin ?? null,
        attachedImages: job.attachedImages ?? [],
        mediaDir: job.mediaDir ?? null,
        files: [...files],
      },
      signal,
    );
    const reasons = [...(verdict ? scopeReasons(verdict.problems) : []), ...reasonsOf(found, job)];
    if (verdict === null || liveDir === null || reasons.length > 0) return reasons;
    if (!comparesAppearance) return reasons;
    return await renderedReasons({ artifactDir, liveDir, browser, verdict, signal });
  } catch (error) {
    if (!(error instanceof CompareFailed)) throw error;
    const items = error.file === null ? [] : [error.file];
    return [{ kind: "unchecked", message: error.message, items }, ...reasonsOf(null, job)];
  }
}
