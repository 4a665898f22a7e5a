import { availableParallelism } from "node:os";
import { descriptorMemory, memoryOf } from "./tree-memory.ts";

/** The longest and the shortest pause between two measurements, in ms. */
const maxPauseMs = 100;
const minPauseMs = 5;

/** The maximum that one processor can allocate per ms, in bytes. */
const fillPerMs = 4 * 2 ** 20;

/**
 * Socket buffers belong to no process: this many sockets hold at most 400 MiB (net.core.wmem_max).
 */
const maxSockets = 1000;
const maxDescriptors = 16_000;

/**
 * How long to wait with this much left: at most as long as all processors need to fill half of it.
 */
function pauseFor(leftBytes: number): number {
  const needed = leftBytes / 2 / (fillPerMs * availableParallelism());
  return Math.min(maxPauseMs, Math.max(minPauseMs, needed));
}

/** How much memory a process tree uses, in bytes; infinite if another limit is exceeded. */
function useOf(pids: readonly number[], bytes: number): number {
  const held = descriptorMemory(pids);
  if (held.sockets > maxSockets || held.descriptors > maxDescriptors) return Infinity;
  const { own, shared } = memoryOf(pids, bytes);
  // A memory file counts whether it is mapped or only open; most are both.
  return own + Math.max(shared, held.bytes);
}

/**
 * Measures the memory of a process tree and calls `onExceeded` once if it exceeds `bytes`. The less
 * is left, the sooner it measures again. Returns a function that stops watching.
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
      // Without /proc, nothing can be measured.
    }
    if (used > bytes) return onExceeded();
    // However many processes the machine has: at most a fifth of this thread's time.
    const pause = Math.max(pauseFor(bytes - used), 4 * (performance.now() - began));
    timer = setTimeout(look, pause);
  };
  timer = setTimeout(look, minPauseMs);
  return () => clearTimeout(timer);
}
