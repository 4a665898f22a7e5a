import { Client } from "pg";
import { sha256Hex } from "../../kit/hash.ts";

/** How many statements a connection keeps prepared, and how often one is asked before it is. */
const maxPrepared = 200;
const preparedAfter = 3;
/** Of how many others it counts how often they are asked, before it begins anew. */
const maxCounted = 1000;

/**
 * A connection that has the server parse and plan a statement once that is asked again and again:
 * for short ones that is most of what they cost.
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

  // The pool and Kysely ask by text and values; all other ways are the client's own.
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
