import { setTimeout as delay } from "node:timers/promises";
import { count, isUncertain, type Journal } from "../journal.ts";
import type { Answer, Product, RequestOptions } from "../product.ts";
import type { Random } from "../random.ts";

/** The dependencies of load actors. */
export interface LoadContext {
  product: Product;
  journal: Journal;
  random: Random;
  /** The owner's token for reading and writing. */
  token: string;
  /** Aborted when the load ends: work in progress finishes, and nothing new starts. */
  signal: AbortSignal;
}

/** Acts repeatedly until the load ends. */
export type Actor = (context: LoadContext) => Promise<void>;

/** Sends and counts a request; null if there was no response or a power cut made it uncertain. */
export async function attempt<T>(
  { product, journal }: LoadContext,
  kind: string,
  path: string,
  options: RequestOptions = {},
): Promise<Answer<T> | null> {
  const sentMs = performance.now();
  try {
    const response = await product.request<T>(path, options);
    if (isUncertain(journal, sentMs)) {
      count(journal, kind, "unanswered");
      return null;
    }
    count(journal, kind, response.status < 300 ? "done" : "refused");
    // Expected faults have other statuses; 500 is an unexpected one.
    if (response.status === 500 && !journal.tolerant)
      journal.anomalies.push(`${path} answered 500`);
    return response;
  } catch {
    count(journal, kind, "unanswered");
    return null;
  }
}

/** Repeats an action until the load ends, with a random pause of at most `maxPauseMs` after each. */
export function repeatedly(
  maxPauseMs: number,
  action: (context: LoadContext, turn: number) => Promise<void>,
): Actor {
  return async (context) => {
    for (let turn = 0; !context.signal.aborted; turn += 1) {
      await action(context, turn);
      const pause = delay(context.random.int(0, maxPauseMs), null, { signal: context.signal });
      await pause.catch(() => {});
    }
  };
}

/** The data of a 2xx response; null otherwise. */
export function dataOf<T>(response: Answer<T> | null): T | null {
  return response !== null && response.status >= 200 && response.status < 300
    ? response.data
    : null;
}

/** A word that is unique in this run. */
export function newMark(random: Random): string {
  return `m${random.int(0, 2 ** 31).toString(36)}${random.int(0, 2 ** 31).toString(36)}`;
}
