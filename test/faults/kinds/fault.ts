import type { Journal } from "../journal.ts";
import type { FaultyPostgres } from "../postgres.ts";
import type { Product } from "../product.ts";
import type { Random } from "../random.ts";
import type { Volume } from "../volume.ts";

/** What a fault can use. */
export interface FaultContext {
  product: Product;
  volume: Volume;
  /** Null with SQLite. */
  postgres: FaultyPostgres | null;
  random: Random;
  journal: Journal;
}

/** One kind of fault. */
export interface FaultKind {
  /** Why it isn't possible here, such as a missing permission; null if it is. */
  unavailable(context: FaultContext): string | null;
  /** Called without load before the fault, to run the product differently. */
  prepare?(context: FaultContext): Promise<void>;
  /** Injects and ends the fault during the load; returns a short description. */
  inject(context: FaultContext): Promise<string>;
  /** Called without load, after it. */
  restore?(context: FaultContext): Promise<void>;
}

export const always = () => null;
