import type { Limits } from "../../../platform/config.ts";
import type { BuildReport } from "../../runs/schema.ts";
import type { FileDiff } from "../../workspace/diff.ts";
import type { ReviewReason } from "../schema.ts";

// `baseUrl` is the site's own address (config.baseUrl): what leads there is no external origin. It may
// be left out; then whatever names the site in full counts like any other origin, which the live
// site mostly names as well.

export interface ReviewJob {
  /** The artifact's folder; its manifest is beside it, `<artifactDir>.json`. */
  artifactDir: string;
  /** The live release's folder, likewise; null before the first release. */
  liveDir: string | null;
  /** What the change does to the source. */
  files: readonly FileDiff[];
  /** What the checks of the build said; null when they could not be carried out. */
  report: BuildReport | null;
  limits: Limits["tasks"];
  /** The site's own address. */
  baseUrl?: string | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * The reasons why a person must look at a change before it goes live; none: it may be published by
 * itself. Throws the signal's reason when it is aborted.
 */
export async function reviewChange({ signal }: ReviewJob): Promise<ReviewReason[]> {
  signal?.throwIfAborted();
  return [{ kind: "unchecked", message: "The change could not be looked into.", items: [] }];
}
