/**
 * Does `work` again and again as it is asked to, never twice at a time. `onError` is told what it
 * throws, once until it succeeds again.
 */
export function makeLoop(work: () => Promise<void>, onError: (error: unknown) => void) {
  let isRequested = false;
  let failing = false;
  let looping: Promise<void> | null = null;
  async function loop(): Promise<void> {
    while (isRequested) {
      isRequested = false;
      try {
        await work();
        failing = false;
      } catch (error) {
        if (!failing) onError(error);
        failing = true;
      }
    }
    looping = null;
  }
  return {
    ask(): void {
      isRequested = true;
      looping ??= loop();
    },
    /** The present round, and those asked for meanwhile. */
    running: () => looping,
  };
}
