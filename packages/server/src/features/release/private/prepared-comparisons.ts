import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { RecordedReads } from "../../../platform/db/recorded-reads.ts";
import type { RecordChange } from "../../projects/run-changes/change.ts";
import type { PrivateComparison } from "./compare-sites.ts";
import type { ComparedSites } from "./compare-worker.ts";
import { isStoredMedia } from "./stored-media.ts";

/** What is compared. */
export interface ComparedInput {
  artifactDir: string;
  /** Null before the first release. */
  liveDir: string | null;
  mediaDir: string;
  /** The run's record changes. */
  changes: readonly RecordChange[];
}

/** Runs a comparison, with what it has read from the database. */
export type Compare = () => Promise<{ compared: ComparedSites; reads: RecordedReads }>;

/** Comparisons made before anybody has to wait for them. */
export interface PreparedComparisons {
  /** Compares after those that are being prepared, and keeps the result. */
  prepare(input: ComparedInput, compare: Compare): Promise<void>;
  /**
   * The result that comparing now would have; null if that isn't known, because nothing was prepared
   * or anything that was compared has changed since. Waits for one that is being prepared.
   */
  find(input: ComparedInput): Promise<PrivateComparison | null>;
}

type Prepared = ComparedSites & { reads: RecordedReads };

/** Previews that may be published soon; each holds the queries of its comparison. */
const maxPrepared = 8;

async function contentHash(manifest: string): Promise<string> {
  return hash("sha256", await readFile(manifest));
}

/** Identifies everything that is compared, except the database and the stored media. */
async function keyOf({ artifactDir, liveDir, mediaDir, changes }: ComparedInput): Promise<string> {
  const next = await contentHash(`${artifactDir}.json`);
  const live = liveDir && [liveDir, await contentHash(`${liveDir}.json`)];
  return JSON.stringify([artifactDir, next, live, mediaDir, changes]);
}

/** Results are kept in memory only, so that the program that compared is the one that relies on it. */
export function makePreparedComparisons(): PreparedComparisons {
  const kept = new Map<string, Promise<Prepared | null>>();
  let last: Promise<unknown> = Promise.resolve();

  async function run(input: ComparedInput, compare: Compare): Promise<void> {
    const key = await keyOf(input);
    kept.delete(key);
    const comparing = compare().then(async ({ compared, reads }) => {
      const isWhole = compared.isIntact && compared.result.incomplete === null;
      return isWhole && (await keyOf(input)) === key ? { ...compared, reads } : null;
    });
    kept.set(
      key,
      comparing.catch(() => null),
    );
    for (const oldest of kept.keys()) if (kept.size > maxPrepared) kept.delete(oldest);
    await comparing;
  }

  return {
    prepare(input, compare) {
      const prepared = last.then(() => run(input, compare));
      last = prepared.catch(() => {});
      return prepared;
    },
    async find(input) {
      if (kept.size === 0) return null;
      // Without a manifest, comparing says what is wrong.
      const key = await keyOf(input).catch(() => "");
      const found = await kept.get(key);
      if (!found) return null;
      for (const [file, was] of found.media)
        if (isStoredMedia(input.mediaDir, file) !== was) return null;
      return (await found.reads.isUnchanged()) ? found.result : null;
    },
  };
}
