import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";
import { makeBoundedSemaphore } from "../../kit/concurrency.ts";
import { AppError } from "../../kit/errors.ts";

/** Cost of one argon2id computation (RFC 9106): KiB of memory, passes, lanes. */
export interface Cost {
  memoryKiB: number;
  passes: number;
  lanes: number;
}

/** One computation; tests replace it to count calls. */
export type Compute = (input: {
  text: string;
  salt: Buffer;
  cost: Cost;
  bytes: number;
}) => Promise<Buffer>;

export interface Hasher {
  /**
   * Returns an argon2id PHC string with a new salt. Throws `unavailable` if too many are waiting.
   */
  hash(text: string): Promise<string>;
  /**
   * Whether the text matches the hash, and whether the hash has an outdated cost. Without a hash,
   * or with an unreadable one, it still does one computation and returns false, so that the time
   * reveals nothing. Throws `unavailable` if too many are waiting.
   */
  verify(text: string, hash: string | null): Promise<{ matches: boolean; outdated: boolean }>;
}

/** OWASP's minimum for argon2id: 19 MiB, two passes, one lane; about 35 ms on one core. */
export const defaultCost: Cost = { memoryKiB: 19_456, passes: 2, lanes: 1 };

const saltBytes = 16;
const hashBytes = 32;

/** Limits the work that a manipulated hash can cause. */
const maxMemoryKiB = 262_144;
const maxPasses = 16;
const maxSlots = 8;

const argon2Async = promisify(argon2);

const computeArgon2: Compute = ({ text, salt, cost, bytes }) =>
  argon2Async("argon2id", {
    message: Buffer.from(text, "utf8"),
    nonce: salt,
    memory: cost.memoryKiB,
    passes: cost.passes,
    parallelism: cost.lanes,
    tagLength: bytes,
  });

interface Parsed {
  cost: Cost;
  salt: Buffer;
  tag: Buffer;
}

/** PHC string format: https://github.com/P-H-C/phc-string-format; base64 without padding. */
const phc =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,86})$/;

function base64(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}

function write({ cost, salt, tag }: Parsed): string {
  const { memoryKiB, passes, lanes: slots } = cost;
  return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${slots}$${base64(salt)}$${base64(tag)}`;
}

/** The parts of a PHC string; null if it is invalid or exceeds the limits. */
function parse(text: string): Parsed | null {
  const [, memory, passes, slots, salt = "", tag = ""] = phc.exec(text) ?? [];
  const cost = { memoryKiB: Number(memory), passes: Number(passes), lanes: Number(slots) };
  const possible =
    cost.lanes >= 1 &&
    cost.lanes <= maxSlots &&
    cost.passes >= 1 &&
    cost.passes <= maxPasses &&
    cost.memoryKiB >= 8 * cost.lanes &&
    cost.memoryKiB <= maxMemoryKiB;
  if (!possible) return null;
  return { cost, salt: Buffer.from(salt, "base64"), tag: Buffer.from(tag, "base64") };
}

function isSameCost(a: Cost, b: Cost): boolean {
  return a.memoryKiB === b.memoryKiB && a.passes === b.passes && a.lanes === b.lanes;
}

const tooManyRequests = () =>
  new AppError("unavailable", "Too many sign-ins at once. Try again in a moment.", {
    headers: { "retry-after": "5" },
  });

/** Leaves one core to the event loop, so that sign-ins don't delay other requests. */
function coresToUse(): number {
  return Math.max(1, Math.min(3, availableParallelism() - 1));
}

/**
 * argon2id with at most `concurrency` computations at once, 19 MiB each, and at most `queue`
 * waiting.
 */
export function makeHasher(
  options: { compute?: Compute; cost?: Cost; concurrency?: number; queue?: number } = {},
): Hasher {
  const { compute = computeArgon2, cost = defaultCost, queue = 64 } = options;
  const { concurrency = coresToUse() } = options;
  const computations = makeBoundedSemaphore({
    limit: concurrency,
    waiting: queue,
    full: tooManyRequests,
  });
  /** Compared with if there is no password; costs the same as a real one. */
  const nobody: Parsed = { cost, salt: randomBytes(saltBytes), tag: randomBytes(hashBytes) };
  return {
    async hash(text) {
      const salt = randomBytes(saltBytes);
      const tag = await computations.run(() => compute({ text, salt, cost, bytes: hashBytes }));
      return write({ cost, salt, tag });
    },
    async verify(text, hash) {
      const known = hash === null ? null : parse(hash);
      const { tag, ...requested } = known ?? nobody;
      const found = await computations.run(() =>
        compute({ text, ...requested, bytes: tag.length }),
      );
      const matches = timingSafeEqual(found, tag) && known !== null;
      return { matches, outdated: !isSameCost(requested.cost, cost) };
    },
  };
}
