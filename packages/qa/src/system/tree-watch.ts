import { availableParallelism } from "node:os";
import { descriptorMemory, memoryOf } from "./tree-memory.ts";

/** The longest and the shortest pause between two looks, in ms. */
const maxPauseMs = 100;
const minPauseMs = 5;

/** What one processor can fill with pages of the kernel's in a ms, at most, in bytes. */
const fillPerMs = 4 * 2 ** 20;

/** Socket buffers belong to no process: so many sockets hold 400 MiB at most (net.core.wmem_max). */
const maxSockets = 1000;
const maxDescriptors = 16_000;

/** How long to wait when so much is left: no longer than all processors need to fill half of it. */
function pauseFor(leftBytes: number): number {
  const needed = leftBytes / 2 / (fillPerMs * availableParallelism());
  return Math.min(maxPauseMs, Math.max(minPauseMs, needed));
}

/** How much of the bound a tree has used, in bytes; infinite when another bound is passed. */
function useOf(pids: readonly number[], bytes: number): number {
  const held = descriptorMemory(pids);
  if (held.sockets > maxSockets || held.descriptors > maxDescriptors) return Infinity;
  const { own, shared } = memoryOf(pids, bytes);
  // A memory file counts whether it is mapped or only held; most are both.
  return own + Math.max(shared, held.bytes);
}

/**
 * Looks at what processes take and calls `onExceeded` once when it is more than `bytes`. The less is
 * left, the sooner it looks again. Gives the end of the watch.
 */
export function watchTreeMemory(
  pids: () => readonly number[],
  bytes: number,
  onExceeded: () => void,
): () => void {
  let timer: NodeJS.Timeout;
  const look = () => {
    let used = 0;
    const began = performance.now();
    try {
      used = useOf(pids(), bytes);
    } catch {
      // Without /proc nothing can be told.
    }
    if (used > bytes) return onExceeded();
    // However many processes the machine has: a fifth of this thread's time at most.
    const pause = Math.max(pauseFor(bytes - used), 4 * (performance.now() - began));
    timer = setTimeout(look, pause);
  };
  timer = setTimeout(look, minPauseMs);
  return () => clearTimeout(timer);
}
