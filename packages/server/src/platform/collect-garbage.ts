import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Returns the memory that only loading a program needed to the system: a fifth of what web and the
 * runner have. V8 does that when more is allocated, which an idle process doesn't. Blocks for less than
 * 100 ms.
 */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
}
