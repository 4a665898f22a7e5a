/**
 * Collects items that arrive within `waitMs` of each other and passes them on together, one batch
 * after the other: items that arrive meanwhile are the next batch. `onError` receives the error of
 * a failed batch.
 */
export function makeBatches<Item>(
  work: (items: Item[]) => Promise<void>,
  { waitMs, onError }: { waitMs: number; onError: (error: unknown) => void },
): { add(item: Item): void; close(): Promise<void> } {
  const waiting = new Set<Item>();
  let timer: NodeJS.Timeout | undefined;
  let turn: Promise<void> = Promise.resolve();
  const workOn = async (before: Promise<void>): Promise<void> => {
    await before;
    const items = [...waiting];
    waiting.clear();
    if (items.length > 0) await work(items).catch(onError);
  };
  const flush = () => {
    turn = workOn(turn);
  };
  return {
    add(item) {
      waiting.add(item);
      clearTimeout(timer);
      timer = setTimeout(flush, waitMs);
    },
    async close() {
      clearTimeout(timer);
      waiting.clear();
      await turn;
    },
  };
}
