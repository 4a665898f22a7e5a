/** How often the loop is asked, in ms. */
const everyMs = 5;

/**
 * Measures how long the event loop of this thread is held: the most processor time that the thread
 * takes between two turns of the loop. Processor time and not time: a loaded machine may let any
 * thread wait, and other threads' work counts for nothing.
 */
export interface LoopCpuMonitor {
  /** Ends the watch; the longest hold in ms of processor time. */
  stop(): number;
}

function threadTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

export function monitorLoopCpu(): LoopCpuMonitor {
  let last = threadTime();
  let max = 0;
  const look = () => {
    const now = threadTime();
    max = Math.max(max, now - last);
    last = now;
  };
  const timer = setInterval(look, everyMs);
  return {
    stop() {
      clearInterval(timer);
      look();
      return max;
    },
  };
}

/** Runs `work` and gives the longest hold of this thread's loop meanwhile, in ms of processor time. */
export async function maxLoopCpu(work: () => Promise<unknown>): Promise<number> {
  const watch = monitorLoopCpu();
  await work().finally(() => watch.stop());
  return watch.stop();
}
