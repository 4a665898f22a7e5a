import type { InstancePaths } from "../../platform/paths.ts";
import type { Log } from "../../platform/log.ts";
import type { BuildReport } from "../runs/schema.ts";

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
  /** The site's own address: what leads there is inside the site. */
  baseUrl?: string;
}

export type BuildChecks = (job: BuildCheckJob) => Promise<BuildReport>;

/** What a build would change about the site's quality, told without a browser. */
export function makeBuildChecks(_options: BuildChecksOptions): BuildChecks {
  return ({ signal }) => {
    signal.throwIfAborted();
    return Promise.resolve({
      pages: 0,
      findings: [],
      added: { error: 0, warning: 0, notice: 0 },
      fixed: 0,
      brokenLinks: 0,
      bytes: { before: 0, after: 0 },
      blank: [],
    });
  };
}
