import type { Crawl } from "../crawl/crawl.ts";
import type { EngineJob, EngineWatch } from "../engine/job.ts";
import type { Asker, Probes, Seeds } from "./probes.ts";

export interface ProbeOptions {
  fetcher: Asker;
  seeds: Seeds;
  crawl: Crawl;
  /** Nothing of the site has changed: only its doors are tried. */
  unchanged: boolean;
  /** Null for a site of others, which is never posted to. */
  own: EngineJob["own"];
  /** Where the site is reached when not by its name: tells whether it is asked from its own machine. */
  connect?: EngineJob["connect"];
  watch: Pick<EngineWatch, "countMessages" | "signal">;
  /** ISO 8601. */
  now: string;
}

/** Tries the doors of a site. Writes nothing, ever. */
export async function probeSite(_options: ProbeOptions): Promise<Probes> {
  throw new Error("not yet");
}
