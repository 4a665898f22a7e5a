/** A run that was published while visitors were reading. */
export interface AcknowledgedPublish {
  runId: string;
  mark: string;
}

/** A project's last acknowledged text, and the texts that may have been written since. */
export interface ProjectExpectation {
  id: number;
  acknowledged: string;
  /** Sent without a response, so it may or may not be written. */
  possible: Set<string>;
}

/** When the power was cut, in ms of `performance.now`. */
export interface PowerCut {
  /** Before the kernel was asked for it. */
  startMs: number;
  /** After the kernel had made it; infinite until then. */
  endMs: number;
}

/**
 * Every write that the product has acknowledged by a 2xx answer. The load writes it, the invariants
 * compare it with what is stored. What was sent and not answered may be there or not.
 */
export interface Journal {
  projects: Map<number, ProjectExpectation>;
  /** Texts of visitors' messages. */
  messages: Set<string>;
  /** Addresses of accounts. */
  accounts: Set<string>;
  /** Public addresses of stored media. */
  media: Set<string>;
  /** The IDs of started runs and tasks. */
  runs: Set<string>;
  tasks: Set<number>;
  publishes: AcknowledgedPublish[];
  discards: Set<string>;
  /** How many sign-ins of the admin were answered with a session. */
  signIns: number;
  /** The newest session of the admin, by its cookie; empty before the first. */
  session: string;
  /** Responses that visitors should never get. */
  anomalies: string[];
  /** During a fault in which even pages may fail, failed responses aren't anomalies. */
  tolerant: boolean;
  /** The last power cut; null before the first. */
  powerCut: PowerCut | null;
  /**
   * The number of requests of each kind that succeeded, were refused with an error, or got no
   * response.
   */
  counts: Map<string, { done: number; refused: number; unanswered: number }>;
}

export function makeJournal(): Journal {
  return {
    projects: new Map(),
    messages: new Set(),
    accounts: new Set(),
    media: new Set(),
    runs: new Set(),
    tasks: new Set(),
    publishes: [],
    discards: new Set(),
    signIns: 0,
    session: "",
    anomalies: [],
    tolerant: false,
    powerCut: null,
    counts: new Map(),
  };
}

/** Counts one request of a kind. */
export function count(
  { counts }: Journal,
  kind: string,
  outcome: "done" | "refused" | "unanswered",
): void {
  const all = counts.get(kind) ?? { done: 0, refused: 0, unanswered: 0 };
  all[outcome] += 1;
  counts.set(kind, all);
}

/**
 * Cuts the power by calling `cut`, and keeps when that was: until the kernel has made the cut, it may tell
 * a process that data is on the disk that isn't (see `isUncertain`).
 */
export async function recordPowerCut(journal: Journal, cut: () => Promise<void>): Promise<void> {
  const powerCut = { startMs: performance.now(), endMs: Infinity };
  journal.powerCut = powerCut;
  await cut();
  powerCut.endMs = performance.now();
}

/**
 * Whether an answer that arrives now to a request sent at `sentMs` proves nothing, because the power was
 * cut between the two. A machine without power answers nobody, but here only the disk has none: when the
 * file system is shut down during an `fsync`, ext4 can report success for data that it no longer writes.
 * Every `fsync` that begins after the cut fails, so answers to later requests count.
 */
export function isUncertain({ powerCut }: Journal, sentMs: number): boolean {
  return powerCut !== null && sentMs <= powerCut.endMs && performance.now() >= powerCut.startMs;
}
