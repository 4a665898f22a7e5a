import { ERRORS, type Lock, type Locker } from "@tus/server";

/** How long a request waits for another one of the same upload to let go, ms. */
const patience = 20_000;

interface Holder {
  ended: Promise<void>;
  end(): void;
  letGo(): void;
}

/** Waits until the holder has ended; throws when it takes too long or the waiting one is given up. */
async function waitFor(holder: Holder, signal: AbortSignal): Promise<void> {
  const gaveUp = Promise.withResolvers<never>();
  const giveUp = () => gaveUp.reject(ERRORS.ERR_LOCK_TIMEOUT);
  const timer = setTimeout(giveUp, patience).unref();
  signal.addEventListener("abort", giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    await Promise.race([holder.ended, gaveUp.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", giveUp);
  }
}

/**
 * One request at a time for each upload. Who comes second asks the first to end, which is how a
 * client whose connection is dead gets its upload back. (The package's own locker spins meanwhile.)
 */
export function makeUploadLocker(): Locker {
  const holders = new Map<string, Holder>();

  function newLock(id: string): Lock {
    return {
      async lock(signal, requestRelease) {
        for (let holder = holders.get(id); holder; holder = holders.get(id)) {
          holder.letGo();
          await waitFor(holder, signal);
        }
        const { promise: ended, resolve: end } = Promise.withResolvers<void>();
        holders.set(id, { ended, end, letGo: () => void requestRelease() });
      },
      async unlock() {
        const holder = holders.get(id);
        holders.delete(id);
        holder?.end();
      },
    };
  }

  return { newLock };
}
