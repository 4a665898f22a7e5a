import type { EngineJob, SiteCache } from "../../packages/qa/src/engine/job.ts";
import { defaultQaLimits } from "../../packages/qa/src/limits.ts";

/** What is known of a site that nobody has looked at. */
export const emptyCache: SiteCache = { site: null, resources: [], externals: [] };

/** A pass over the markup of a site, as it begins at an address; what is `over` is otherwise. */
export function engineJob(url: string, over: Partial<EngineJob> = {}): EngineJob {
  return {
    engine: "test 1",
    url,
    connect: null,
    limits: { ...defaultQaLimits, seconds: 60 },
    browser: "off",
    external: "none",
    full: false,
    own: null,
    cache: emptyCache,
    now: "2026-01-01T00:00:00.000Z",
    ...over,
  };
}
