import { realpath } from "node:fs/promises";
import type { Log } from "../../../platform/log.ts";
import type { InstancePaths } from "../../../platform/paths.ts";
import type { BuildReport } from "../../runs/schema.ts";
import { makeInspector } from "./inspector.ts";

/** A build to check. */
export interface BuildCheckJob {
  /** The artifact's folder; its manifest is `<artifactDir>.json` next to it. */
  artifactDir: string;
  /**
   * The live release's folder; null before the first release. Defaults to that of `paths.current`.
   */
  liveDir?: string | null;
  signal: AbortSignal;
}

export interface BuildChecksOptions {
  paths: Pick<InstancePaths, "current">;
  log: Log;
  /**
   * The site's own address, to recognize internal links. By default, it is taken from canonical
   * links.
   */
  baseUrl?: string;
}

export type BuildChecks = (job: BuildCheckJob) => Promise<BuildReport>;

/** The real folder behind a path; null if there is none. The manifest is next to it. */
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
 * Reports how a build would change the site's quality, without a browser: runs all checks on the
 * pages that differ from the live ones, in their old and new versions. Runs in a worker thread.
 * Throws the signal's reason when aborted.
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
