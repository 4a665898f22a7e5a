import { processorMs } from "../../../platform/process-tree.ts";

/** How many times longer than its limit a task may take on a busy machine. */
const maxWaitTimes = 20;

/**
 * Calls `onExceeded` when a process has used so much processor time from now on, which takes longer while
 * others keep the machine busy, or if it takes many times as long. The result ends that.
 */
export async function limitWork(
  pid: number,
  limitMs: number,
  onExceeded: () => void,
): Promise<() => void> {
  const before = await processorMs(pid);
  const started = performance.now();
  let timer: NodeJS.Timeout;
  let isStopped = false;
  const check = async (): Promise<void> => {
    const now = await processorMs(pid);
    if (isStopped) return;
    const used = before === undefined || now === undefined ? limitMs : now - before;
    const isOver = used >= limitMs || performance.now() - started > limitMs * maxWaitTimes;
    if (isOver) onExceeded();
    else timer = setTimeout(() => void check(), Math.max(100, limitMs - used));
  };
  timer = setTimeout(() => void check(), limitMs);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
