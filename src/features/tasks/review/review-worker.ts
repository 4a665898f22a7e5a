import { parentPort, workerData } from "node:worker_threads";
import { readManifest } from "../../release/artifact/artifact.ts";
import { compareSites, type Difference, type SiteFolder } from "./compare.ts";

/** What the thread is given. */
export interface Comparing {
  artifactDir: string;
  /** Null before the first release. */
  liveDir: string | null;
  /** The host of the site's own address. */
  host: string | null;
}

/** What it says: each file before it is read, then what it found. */
export type FromReviewer = { kind: "file"; path: string } | { kind: "done"; found: Difference };

async function open(dir: string): Promise<SiteFolder> {
  return { dir, manifest: await readManifest(`${dir}.json`) };
}

if (parentPort) {
  const { artifactDir, liveDir, host } = workerData as Comparing;
  const next = await open(artifactDir);
  const live = liveDir === null ? null : await open(liveDir);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  const say = (message: FromReviewer) => parentPort?.postMessage(message);
  const found = compareSites({ next, live, host }, (path) => say({ kind: "file", path }));
  say({ kind: "done", found });
}
