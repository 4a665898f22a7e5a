import { vi } from "vitest";

/**
 * Asks again and again until `probe` neither throws nor rejects, and gives what it came to. For
 * `timeoutMs` at most, 20 s unless told: on a machine that does much else a moment may take long, and
 * what never comes is a failure all the same. What may take longer is asked for less often.
 */
export function eventually<T>(probe: () => T | Promise<T>, timeoutMs = 20_000): Promise<T> {
  return vi.waitFor(probe, { timeout: timeoutMs, interval: timeoutMs / 400 });
}
