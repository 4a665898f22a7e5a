import type { ReviewReason } from "../schema.ts";
import { compareApart, NotCompared } from "./comparison.ts";
import { type Judged, reasonsOf } from "./reasons.ts";

// `baseUrl` is the site's own address (config.baseUrl): what leads there is no external origin. It may
// be left out; then whatever names the site in full counts like any other origin, which the live
// site mostly names as well.

export interface ReviewJob extends Judged {
  /** The artifact's folder; its manifest is beside it, `<artifactDir>.json`. */
  artifactDir: string;
  /** The live release's folder, likewise, or a link to it; null before the first release. */
  liveDir: string | null;
  /** The site's own address. */
  baseUrl?: string | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * The reasons why a person must look at a change before it goes live; none: it may be published by
 * itself. What counts is the site that was built, compared with the live one: code for visitors'
 * browsers and addresses outside the site that the live one doesn't have, unusual size, errors that
 * the checks found, and whatever can't be looked into. In doubt there is a reason. Source that is
 * executed by the build (the code of pages, `.ts` files) gives none by itself: it runs in the sandbox
 * only, and what it makes is in the site; where builds are not contained, the drain lets nothing live. A mail address or telephone number that the live site has
 * no link to counts as an address outside the site: visitors would write to somebody else. Throws the
 * signal's reason when it is aborted.
 */
export async function reviewChange(job: ReviewJob): Promise<ReviewReason[]> {
  const { artifactDir, liveDir, baseUrl, signal } = job;
  signal?.throwIfAborted();
  const host = (baseUrl && URL.parse(baseUrl)?.host) || null;
  try {
    return reasonsOf(await compareApart({ artifactDir, liveDir, host }, signal), job);
  } catch (error) {
    if (!(error instanceof NotCompared)) throw error;
    const items = error.file === null ? [] : [error.file];
    return [{ kind: "unchecked", message: error.message, items }, ...reasonsOf(null, job)];
  }
}
