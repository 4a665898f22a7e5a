import type { Duplex } from "node:stream";
import { Client } from "pg";
import { sha256Hex } from "../../kit/hash.ts";

/** How many statements a connection keeps prepared, and after how many uses one is prepared. */
const maxPrepared = 200;
const preparedAfter = 3;
/** How many statements' uses are counted before counting restarts. */
const maxCounted = 1000;

/**
 * A connection that prepares frequent statements on the server, because parsing and planning are
 * most of the cost of short ones.
 */
export class PreparingClient extends Client {
  readonly #prepared = new Map<string, string>();
  readonly #uses = new Map<string, number>();
  #waiting = 0;
  /** Since when the server owes an answer, in ms of `performance.now`; null if it owes none. */
  waitingSince: number | null = null;
  /** Called when a statement is sent. */
  onWait: () => void = () => {};

  #nameOf(text: string): string | undefined {
    const name = this.#prepared.get(text);
    if (name !== undefined || this.#prepared.size >= maxPrepared) return name;
    const times = (this.#uses.get(text) ?? 0) + 1;
    if (this.#uses.size >= maxCounted) this.#uses.clear();
    this.#uses.set(text, times);
    if (times > preparedAfter) this.#prepared.set(text, `s${sha256Hex(text).slice(0, 40)}`);
    return this.#prepared.get(text);
  }

  // The pool and Kysely query by text and values; all other forms are passed to the client.
  override query = ((text: unknown, ...rest: unknown[]) => {
    const ask = super.query as unknown as (...given: unknown[]) => unknown;
    const [values] = rest;
    if (typeof text !== "string" || !Array.isArray(values)) return ask.call(this, text, ...rest);
    const name = this.#nameOf(text);
    const query = name === undefined ? { text, values } : { name, text, values };
    return this.#awaitAnswer(ask.call(this, query, ...rest.slice(1)));
  }) as Client["query"];

  #awaitAnswer(answer: unknown): unknown {
    if (!(answer instanceof Promise)) return answer;
    this.#waiting += 1;
    this.waitingSince ??= performance.now();
    this.onWait();
    const answered = () => {
      this.#waiting -= 1;
      this.waitingSince = this.#waiting === 0 ? null : performance.now();
    };
    answer.then(answered, answered);
    return answer;
  }

  /** Ends the connection at once, without telling the server: what waits for it fails. */
  destroy(): void {
    const { stream } = (this as unknown as { connection: { stream: Duplex } }).connection;
    const error = new Error("The connection to the database was lost.");
    stream.destroy(Object.assign(error, { code: "ECONNRESET" }));
  }
}
