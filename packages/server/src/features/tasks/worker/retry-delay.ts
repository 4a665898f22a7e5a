const second = 1000;
const minute = 60 * second;

/** How long a task waits for something that isn't its fault, in ms. */
export const shortDelayMs = {
  /** Manual edits, another publish, too many runs. */
  busy: 30 * second,
  disk: 5 * minute,
  /** A daily or monthly limit, or a missing key: until somebody changes it. */
  ceiling: 15 * minute,
} as const;

const afterAttempts = [30 * second, 2 * minute] as const;

/** How long a task waits after this attempt, counted from 1, in ms. */
export function attemptDelayMs(attempt: number): number {
  return afterAttempts[Math.max(0, attempt - 1)] ?? afterAttempts[1];
}
