import { AppError } from "../../kit/errors.ts";

const warnAt = 3;
const failAt = 5;
/** The longest repeated sequence of different calls that is detected. */
const maxRoundLength = 4;

/** Detects a model that repeats the same calls. */
export interface RepetitionDetector {
  /**
   * Returns a sentence for the model at the third identical call or sequence, otherwise null.
   * Throws AppError at the fifth.
   */
  record(tool: string, input: unknown): string | null;
  /** Call when a file has changed, because the same call may now have a different result. */
  reset(): void;
}

function keyOf(tool: string, input: unknown): string {
  const sorted = JSON.stringify(input, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return `${tool} ${sorted}`;
}

/** How often the last `length` calls are repeated at the end. */
function roundsAtEnd(calls: readonly string[], length: number): number {
  const last = calls.length - 1;
  let same = 0;
  while (last - same - length >= 0 && calls[last - same] === calls[last - same - length]) same += 1;
  return Math.floor(same / length) + 1;
}

function goingRound(calls: readonly string[]): number {
  let maxLength = 1;
  // Sequences of one call are counted separately, because a change in between makes them
  // legitimate.
  for (let length = 2; length <= maxRoundLength; length += 1) {
    maxLength = Math.max(maxLength, roundsAtEnd(calls, length));
  }
  return maxLength;
}

function nowhere(tool: string, what: string): AppError {
  return new AppError(
    "upstream_failed",
    `The model made ${what} ${failAt} times (${tool}) without any progress.`,
    { details: { limit: "repetition", tool } },
  );
}

/**
 * Counts identical calls since the last file change, and sequences of two to four calls (A, B, A,
 * B) even across changes: two edits that undo each other would change files forever.
 */
export function makeRepetitionDetector(): RepetitionDetector {
  const seen = new Map<string, number>();
  const calls: string[] = [];
  let warned = false;
  return {
    record(tool, input) {
      const key = keyOf(tool, input);
      const times = (seen.get(key) ?? 0) + 1;
      seen.set(key, times);
      calls.push(key);
      if (calls.length > maxRoundLength * (failAt + 1)) calls.shift();
      const rounds = goingRound(calls);
      if (times >= failAt) throw nowhere(tool, "the same call");
      if (rounds >= failAt) throw nowhere(tool, "the same few calls in turn");
      if (times === warnAt) {
        return `You have made exactly this call ${warnAt} times and nothing changed since. Do something else, or finish.`;
      }
      const alreadyWarned = warned;
      warned = rounds >= warnAt;
      if (!warned || alreadyWarned) return null;
      return `You are making the same few calls in turn for the ${warnAt}rd time. Do something else, or finish.`;
    },
    reset: () => seen.clear(),
  };
}
