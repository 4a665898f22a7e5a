import { setTimeout as delay } from "node:timers/promises";

export { delay };

/**
 * Waits until `probe` gives something other than false, null or undefined; what it throws counts as
 * "not yet". Throws after `timeoutMs`, naming `what` and the last reason.
 */
export async function until<T>(
  what: string,
  probe: () => T | Promise<T>,
  { timeoutMs = 60_000, everyMs = 100 }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<NonNullable<T>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    let reason: unknown = "";
    try {
      const found = await probe();
      if (found !== false && found !== null && found !== undefined) return found;
    } catch (error) {
      reason = error;
    }
    if (performance.now() > deadline) {
      const why = reason instanceof Error ? `: ${reason.message}` : "";
      throw new Error(`${what}: not within ${timeoutMs / 1000} s${why}`);
    }
    await delay(everyMs);
  }
}
