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
    return ask.call(
      this,
      name === undefined ? { text, values } : { name, text, values },
      ...rest.slice(1),
    );
  }) as Client["query"];
}
