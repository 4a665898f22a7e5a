import { realpath } from "node:fs/promises";
import type { Log } from "../../../platform/log.ts";
import type { InstancePaths } from "../../../platform/paths.ts";
import type { BuildReport } from "../../runs/schema.ts";
import { makeInspector } from "./inspector.ts";

/** What is to be looked at. */
export interface BuildCheckJob {
  /** The artifact's folder; its manifest is beside it, `<artifactDir>.json`. */
  artifactDir: string;
  /** The live release's folder; null before the first release. Left out: that of `paths.current`. */
  liveDir?: string | null;
  signal: AbortSignal;
}

export interface BuildChecksOptions {
  paths: Pick<InstancePaths, "current">;
  log: Log;
  /** The site's own address: what leads there is inside the site. Else its canonical links tell. */
  baseUrl?: string;
}

export type BuildChecks = (job: BuildCheckJob) => Promise<BuildReport>;

/** The folder that a path stands for; null when there is none. The manifest is beside the folder. */
async function folderOf(path: string | null): Promise<string | null> {
  if (path === null) return null;
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/**
 * Tells what a build would change about the site's quality, without a browser: by the pages that
 * differ from the live ones, each looked at with every check as it is and as it would be. The looks
 * are taken in a thread of their own. Throws the signal's reason when it is aborted.
 */
export function makeBuildChecks({ paths, log, baseUrl }: BuildChecksOptions): BuildChecks {
  const inspector = makeInspector();
  return async ({ artifactDir, liveDir = paths.current, signal }) => {
    const live = await folderOf(liveDir);
    signal.throwIfAborted();
    const startedAt = performance.now();
    const { report, failures } = await inspector.inspect(
      { artifactDir, liveDir: live, baseUrl },
      signal,
    );
    for (const failure of failures) log.warn({ failure }, "a check failed");
    const ms = Math.round(performance.now() - startedAt);
    log.info({ pages: report.pages, ...report.added, ms }, "build checked");
    return report;
  };
}
