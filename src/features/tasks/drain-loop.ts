/** Does `work` again and again as it is asked to, never twice at a time; what it throws is logged. */
export function makeLoop(work: () => Promise<void>, onError: (error: unknown) => void) {
  let asked = false;
  let looping: Promise<void> | null = null;
  async function loop(): Promise<void> {
    while (asked) {
      asked = false;
      await work().catch(onError);
    }
    looping = null;
  }
  return {
    ask(): void {
      asked = true;
      looping ??= loop();
    },
    /** The present round, and those asked for meanwhile. */
    running: () => looping,
  };
}
