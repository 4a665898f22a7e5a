/**
 * Runs `work` whenever requested, one run at a time. `onError` is called with an error, but only
 * once until a run succeeds.
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
    /** The current round, and those requested in the meantime. */
    running: () => looping,
  };
}
