import { makeSemaphore } from "../../../kit/concurrency.ts";

/** A build that nobody waits for has ended because another one was wanted. */
export class GaveWay extends Error {
  override readonly name = "GaveWay";
}

export interface TurnOptions {
  /** Whether nobody waits for it: it ends as soon as another one is wanted, with GaveWay. */
  isInBackground?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** Lets few builds run at once, those that somebody waits for before others. */
export interface BuildTurns {
  /** Runs a task when its turn comes; its signal says when it has to end. */
  run<T>(options: TurnOptions, task: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Whether none runs or waits. */
  isIdle(): boolean;
  /** Ends all and waits for them. */
  close(reason: Error): Promise<void>;
}

export function makeBuildTurns(width: number): BuildTurns {
  const turns = makeSemaphore(width);
  const running = new Set<Promise<unknown>>();
  const background = new Set<AbortController>();
  const closing = new AbortController();

  async function take<T>(
    { isInBackground = false, signal: given }: TurnOptions,
    task: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const own = new AbortController();
    if (isInBackground) background.add(own);
    else for (const other of background) other.abort(new GaveWay());
    const signal = AbortSignal.any([closing.signal, own.signal, ...(given ? [given] : [])]);
    try {
      return await turns.run(() => task(signal), signal);
    } finally {
      background.delete(own);
    }
  }

  return {
    run(options, task) {
      const result = take(options, task);
      running.add(result);
      const finish = () => running.delete(result);
      result.then(finish, finish);
      return result;
    },
    isIdle: () => running.size === 0,
    async close(reason) {
      closing.abort(reason);
      await Promise.allSettled(running);
    },
  };
}
