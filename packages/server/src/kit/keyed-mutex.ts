export interface KeyedMutex {
  /** Runs tasks with the same key one after the other, in order. */
  run<T>(key: string, task: () => Promise<T>): Promise<T>;
}

/** A mutex for each key; unused keys take no memory. Not reentrant. */
export function makeKeyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>();
  return {
    async run(key, task) {
      const before = last.get(key) ?? Promise.resolve();
      const mine = before.then(task);
      const settled = mine.catch(() => {});
      last.set(key, settled);
      try {
        return await mine;
      } finally {
        if (last.get(key) === settled) last.delete(key);
      }
    },
  };
}
