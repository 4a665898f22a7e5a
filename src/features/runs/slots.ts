/** Lets at most `limit` tasks run at once; the others wait in the order in which they came. */
export function makeSlots(limit: number): (task: () => Promise<void>) => void {
  const waiting: (() => Promise<void>)[] = [];
  let busy = 0;
  const next = () => {
    const task = busy < limit ? waiting.shift() : undefined;
    if (!task) return;
    busy += 1;
    void task().finally(() => {
      busy -= 1;
      next();
    });
  };
  return (task) => {
    waiting.push(task);
    next();
  };
}
