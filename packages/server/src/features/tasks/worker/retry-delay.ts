const second = 1000;
const minute = 60 * second;

/** How long a task waits for what is no fault of its own, in ms. */
export const shortDelayMs = {
  /** Edits by hand, another publish, too many runs. */
  busy: 30 * second,
  disk: 5 * minute,
  /** A ceiling of the day or the month, or a key that is missing: until somebody raises or adds it. */
  ceiling: 15 * minute,
} as const;

const afterAttempts = [30 * second, 2 * minute] as const;

/** How long a task waits after this attempt, counted from 1, in ms. */
export function attemptDelayMs(attempt: number): number {
  return afterAttempts[Math.max(0, attempt - 1)] ?? afterAttempts[1];
}
