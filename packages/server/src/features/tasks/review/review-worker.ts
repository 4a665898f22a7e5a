import { parentPort, workerData } from "node:worker_threads";
import { readManifest } from "../../release/artifact/artifact.ts";
import { judgeSite, type SiteJob, type SiteVerdict } from "./rules/judge-site.ts";
import { compareSites, type Difference, type BuiltSite } from "./compare.ts";

/** The thread's input. */
export interface CompareInput extends Omit<SiteJob, "live" | "next"> {
  artifactDir: string;
  /** Null before the first release. */
  liveDir: string | null;
  /** The host of the site's own address. */
  host: string | null;
}

/** The thread's result: what is new on the site, and which of it no rule allows. */
export interface CompareResult {
  found: Difference;
  /** Null before the first release. */
  verdict: SiteVerdict | null;
}

/** Its messages: each file before it is read, then the result. */
export type FromReviewer =
  | { kind: "file"; path: string }
  | { kind: "done"; compared: CompareResult };

async function open(dir: string): Promise<BuiltSite> {
  return { dir, manifest: await readManifest(`${dir}.json`) };
}

if (parentPort) {
  const { artifactDir, liveDir, host, ...job } = workerData as CompareInput;
  const next = await open(artifactDir);
  const live = liveDir === null ? null : await open(liveDir);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  const say = (message: FromReviewer) => parentPort?.postMessage(message);
  const found = compareSites({ next, live, host }, (path) => say({ kind: "file", path }));
  const verdict = live === null ? null : judgeSite({ ...job, live, next });
  say({ kind: "done", compared: { found, verdict } });
}
