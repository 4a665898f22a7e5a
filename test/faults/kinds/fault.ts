import type { Journal } from "../journal.ts";
import type { FaultyPostgres } from "../postgres.ts";
import type { Product } from "../product.ts";
import type { Random } from "../random.ts";
import type { Volume } from "../volume.ts";

/** What a fault has in reach. */
export interface FaultContext {
  product: Product;
  volume: Volume;
  /** Null with SQLite. */
  postgres: FaultyPostgres | null;
  random: Random;
  journal: Journal;
}

/** One kind of thing that goes wrong. */
export interface FaultKind {
  /** Why it can't be made here, such as a missing right; null where it can. */
  unavailable(context: FaultContext): string | null;
  /** Called without load, before it: for a product that has to run in another way. */
  prepare?(context: FaultContext): Promise<void>;
  /** Makes it while the load runs, and ends it. Gives what was done, in a few words. */
  inject(context: FaultContext): Promise<string>;
  /** Called without load, after it. */
  restore?(context: FaultContext): Promise<void>;
}

export const always = () => null;
