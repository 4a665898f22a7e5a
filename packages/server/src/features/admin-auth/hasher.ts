import { availableParallelism } from "node:os";
import { compare, hash } from "@node-rs/bcrypt";
import { makeBoundedSemaphore } from "../../kit/concurrency.ts";
import { AppError } from "../../kit/errors.ts";

/** The two operations of bcrypt; injected where tests count them. */
export interface Bcrypt {
  hash(text: string, cost: number): Promise<string>;
  compare(text: string, hash: string): Promise<boolean>;
}

export interface Hasher {
  /** bcrypt at cost 12. */
  hash(text: string): Promise<string>;
  /**
   * Whether the text is what was hashed. Without a hash, and for a text beyond 72 bytes, one
   * comparison runs all the same and the answer is false: time tells nothing. Throws `unavailable`
   * when too many are waiting.
   */
  verify(text: string, hash: string | null): Promise<boolean>;
}

/** bcrypt reads no further than this; a longer password would match by its beginning. */
export const maxPasswordBytes = 72;

const cost = 12;

/** The hash of 256 random bits that nobody kept, at the same cost as a real one. */
const dummyHash = "$2b$12$KSxLoJ6SaCFfH.QeNvGJ2eQ8gXzaDWUtYxMOow3I.pC5sbqlYmQpW";

const tooManyRequests = () =>
  new AppError("unavailable", "Too many sign-ins at once. Try again in a moment.", {
    headers: { "retry-after": "5" },
  });

/** One core is left to the event loop, so that nobody else waits for a sign-in. */
function coresToUse(): number {
  return Math.max(1, Math.min(4, availableParallelism() - 1));
}

/**
 * bcrypt with bounded appetite: `concurrency` computations at once, `queue` waiting, and no more.
 * One takes about 200 ms of a core at cost 12.
 */
export function makeHasher(
  options: { bcrypt?: Bcrypt; concurrency?: number; queue?: number } = {},
): Hasher {
  const { bcrypt = { hash, compare }, concurrency = coresToUse(), queue = 32 } = options;
  const computations = makeBoundedSemaphore({
    limit: concurrency,
    waiting: queue,
    full: tooManyRequests,
  });
  return {
    hash: (text) => computations.run(() => bcrypt.hash(text, cost)),
    async verify(text, known) {
      const fits = Buffer.byteLength(text) <= maxPasswordBytes;
      const matches = await computations.run(() =>
        bcrypt.compare(fits ? text : "over-long", known ?? dummyHash),
      );
      return matches && fits && known !== null;
    },
  };
}
