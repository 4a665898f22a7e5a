import { availableParallelism } from "node:os";
import { compare, hash } from "@node-rs/bcrypt";
import { makeBoundedSemaphore } from "../../kit/concurrency.ts";
import { AppError } from "../../kit/errors.ts";

/** bcrypt's two operations; tests replace them to count calls. */
export interface Bcrypt {
  hash(text: string, cost: number): Promise<string>;
  compare(text: string, hash: string): Promise<boolean>;
}

export interface Hasher {
  /** bcrypt at cost 12. */
  hash(text: string): Promise<string>;
  /**
   * Whether the text matches the hash. Without a hash, and for a text longer than 72 bytes, it
   * still does one comparison and returns false, so that the time reveals nothing. Throws
   * `unavailable` if too many are waiting.
   */
  verify(text: string, hash: string | null): Promise<boolean>;
}

/** bcrypt ignores all bytes after these; a longer password would match by its beginning. */
export const maxPasswordBytes = 72;

const cost = 12;

/** The hash of 256 discarded random bits, with the same cost as a real one. */
const dummyHash = "$2b$12$KSxLoJ6SaCFfH.QeNvGJ2eQ8gXzaDWUtYxMOow3I.pC5sbqlYmQpW";

const tooManyRequests = () =>
  new AppError("unavailable", "Too many sign-ins at once. Try again in a moment.", {
    headers: { "retry-after": "5" },
  });

/** Leaves one core to the event loop, so that sign-ins don't delay other requests. */
function coresToUse(): number {
  return Math.max(1, Math.min(4, availableParallelism() - 1));
}

/**
 * bcrypt with at most `concurrency` computations at once and at most `queue` waiting. One takes
 * about 200 ms on one core at cost 12.
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
