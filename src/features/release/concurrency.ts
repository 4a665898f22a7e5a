/** Maps a list with at most `limit` calls under way; results in the list's order, the first error wins. */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = Array.from({ length: items.length });
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next;
      next += 1;
      results[index] = await work(items[index] as T);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}

/** Lets at most `limit` holders in; the others wait in line. `signal` gives up the place in line. */
export function makeGate(limit: number): {
  enter(signal?: AbortSignal): Promise<() => void>;
} {
  let inside = 0;
  const waiting: (() => void)[] = [];
  const leave = () => {
    inside -= 1;
    waiting.shift()?.();
  };
  const enter = async (signal?: AbortSignal) => {
    signal?.throwIfAborted();
    while (inside >= limit) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const giveUp = () => {
        const place = waiting.indexOf(resolve);
        if (place >= 0) waiting.splice(place, 1);
        reject(signal?.reason);
      };
      waiting.push(resolve);
      signal?.addEventListener("abort", giveUp, { once: true });
      await promise.finally(() => signal?.removeEventListener("abort", giveUp));
    }
    inside += 1;
    return leave;
  };
  return { enter };
}
