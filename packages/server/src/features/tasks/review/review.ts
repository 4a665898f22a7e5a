import type { RunChange } from "../../runs/run-change.ts";
import type { ReviewReason, TaskScope } from "../schema.ts";
import { scopeReasons } from "./rules/scope-reasons.ts";
import type { AttachedImage } from "./rules/review-context.ts";
import { compareInWorker, CompareFailed } from "./comparison.ts";
import { type ReasonInput, reasonsOf } from "./reasons.ts";
import { renderedReasons } from "./rendered/rendered.ts";
import type { ReviewBrowser } from "./rendered/review-browser.ts";

// `baseUrl` is the site's own address (config.baseUrl): what leads there is no external origin. It may
// be left out; then whatever names the site in full counts like any other origin, which the live
// site mostly names as well.

export interface ReviewJob extends ReasonInput {
  /** The artifact's folder; its manifest is beside it, `<artifactDir>.json`. */
  artifactDir: string;
  /** The live release's folder, likewise, or a link to it; null before the first release. */
  liveDir: string | null;
  /** What the task is about; nothing else goes live unattended. */
  scope: TaskScope;
  /** The changelog entry that the artifact was built with; null without. */
  entry?: RunChange | null | undefined;
  /** The images that are attached to the task. */
  attachedImages?: readonly AttachedImage[] | undefined;
  /** The folder that builds lay below /media/. */
  mediaDir?: string | null | undefined;
  /** Whether both versions are compared in a browser, too; yes unless told. */
  comparesAppearance?: boolean | undefined;
  /** Starts a browser that shows both versions; null where there is none. */
  browser: ReviewBrowser | null;
  /** The site's own address. */
  baseUrl?: string | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * The reasons why a person must look at a change before it goes live; none: it may be published
 * unattended. What counts is the site that was built, compared with the live one: every difference has
 * to be allowed by a rule within the task's scope, and what visitors see in a browser has to stay where
 * the change isn't about it. Code, addresses outside the site, unusual size, errors that the checks
 * found, and whatever can't be looked into are named apart. In doubt there is a reason. Throws the
 * signal's reason when it is aborted.
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
