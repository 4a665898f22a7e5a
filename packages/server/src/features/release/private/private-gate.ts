import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../../kit/errors.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { recordReads } from "../../../platform/db/recorded-reads.ts";
import type { Log } from "../../../platform/log.ts";
import type { InstancePaths } from "../../../platform/paths.ts";
import type { RecordChange } from "../../projects/run-changes/change.ts";
import { mediaFolder } from "../../workspace/content-paths.ts";
import { liveRelease } from "../current-symlink.ts";
import type { PrivateComparison } from "./compare-sites.ts";
import type { ComparedSites } from "./compare-worker.ts";
import { comparePrivate, type PrivateTexts } from "./comparison.ts";
import { isConfirmed } from "./confirmations.ts";
import { type ComparedInput, makePreparedComparisons } from "./prepared-comparisons.ts";
import { projectTexts, publicTexts } from "./record-texts.ts";
import type { PrivateFinding, PrivateRefusal } from "./schema.ts";

/** One finding as a text for people, without any private text. */
export function findingLabel({ page, record, field }: PrivateFinding): string {
  return `${page}: ${record} (${field})`;
}

function summary({ findings, total, incomplete }: PrivateComparison): string {
  const [first] = findings;
  if (first === undefined) return `${incomplete} Confirm that it may go live, or change it.`;
  const more = total > 1 ? ` and ${total - 1} more` : "";
  return `Private text would go live: ${findingLabel(first)}${more}. Remove it, or confirm that it may go live.`;
}

/** What would go live contains private text that nobody has confirmed. */
export class PrivateTextError extends AppError {
  readonly comparison: PrivateComparison;

  constructor(comparison: PrivateComparison) {
    const { fingerprint, findings, total } = comparison;
    const details: PrivateRefusal = { fingerprint, findings, total };
    super("private_text", summary(comparison), { details });
    this.name = "PrivateTextError";
    this.comparison = comparison;
  }
}

/** Compares what would go live with all private text in the records. */
export interface PrivateGate {
  /** Private text in an artifact that is neither live nor public in other records. */
  compare(artifactDir: string, signal?: AbortSignal): Promise<PrivateComparison>;
  /**
   * Compares an artifact with a run's record changes in the background, so that publishing it only
   * has to find out whether that is still true. A failure is only logged.
   */
  prepare(artifactDir: string, changes: readonly RecordChange[]): Promise<void>;
  /**
   * Throws PrivateTextError if an artifact contains private text, unless the owner has confirmed
   * exactly that; returns what was confirmed, null if nothing had to be.
   * @param confirmed the fingerprint sent with this publish
   * @param changes the run's record changes
   */
  assertPublic(
    artifactDir: string,
    confirmed?: string | null,
    changes?: readonly RecordChange[],
  ): Promise<PrivateComparison | null>;
  /** Ends what is being prepared. */
  close(): Promise<void>;
}

export interface PrivateGateDependencies {
  db: Db;
  paths: InstancePaths;
  log: Log;
  /** Private texts of other records than projects: messages, accounts, invitations. */
  otherTexts?: readonly ((db: Db) => PrivateTexts)[];
}

async function* allTexts(
  db: Db,
  { otherTexts = [] }: PrivateGateDependencies,
  changes: readonly RecordChange[],
) {
  yield* projectTexts(db, changes);
  for (const texts of otherTexts) yield* texts(db);
}

/** Compares with what `db` reads. */
async function compareWith(
  db: Db,
  deps: PrivateGateDependencies,
  { changes, ...sites }: ComparedInput,
  signal: AbortSignal | undefined,
): Promise<ComparedSites> {
  return comparePrivate({
    ...sites,
    privateTexts: allTexts(db, deps, changes),
    publicTexts: () => publicTexts(db),
    signal,
    onFailure: (cause) =>
      deps.log.error({ err: cause }, "a site can't be compared with private texts"),
  });
}

/** Creates the gate of an instance. */
export function makePrivateGate(deps: PrivateGateDependencies): PrivateGate {
  const { db, paths, log } = deps;
  const prepared = makePreparedComparisons();
  const closing = new AbortController();
  const preparing = new Set<Promise<void>>();

  async function inputOf(
    artifactDir: string,
    changes: readonly RecordChange[],
  ): Promise<ComparedInput> {
    const live = await liveRelease(paths);
    const liveDir = live && (await realpath(paths.current));
    return { artifactDir, liveDir, mediaDir: join(paths.content, mediaFolder), changes };
  }

  async function compare(
    artifactDir: string,
    signal?: AbortSignal,
    changes: readonly RecordChange[] = [],
  ): Promise<PrivateComparison> {
    const input = await inputOf(artifactDir, changes);
    const known = await prepared.find(input);
    signal?.throwIfAborted();
    return known ?? (await compareWith(db, deps, input, signal)).result;
  }

  async function prepare(artifactDir: string, changes: readonly RecordChange[]): Promise<void> {
    const { signal } = closing;
    try {
      const input = await inputOf(artifactDir, changes);
      await prepared.prepare(input, async () => {
        const reads = recordReads(db);
        return { reads, compared: await compareWith(reads.db, deps, input, signal) };
      });
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, "couldn't compare a preview in advance");
    }
  }

  return {
    compare: (artifactDir, signal) => compare(artifactDir, signal),
    prepare(artifactDir, changes) {
      const own = prepare(artifactDir, changes);
      preparing.add(own);
      return own.finally(() => preparing.delete(own));
    },
    async assertPublic(artifactDir, confirmed = null, changes = []) {
      const comparison = await compare(artifactDir, undefined, changes);
      const { fingerprint } = comparison;
      if (fingerprint === "") return null;
      if (confirmed === fingerprint || (await isConfirmed(db, fingerprint))) return comparison;
      throw new PrivateTextError(comparison);
    },
    async close() {
      closing.abort();
      await Promise.all(preparing);
    },
  };
}
