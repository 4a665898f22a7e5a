/** Lets tasks that share a key run one after the other, in the order in which they came. */
export function makeTurns(): <T>(key: string, task: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return async (key, task) => {
    const before = last.get(key) ?? Promise.resolve();
    const mine = before.then(task);
    const settled = mine.catch(() => {});
    last.set(key, settled);
    try {
      return await mine;
    } finally {
      if (last.get(key) === settled) last.delete(key);
    }
  };
}
