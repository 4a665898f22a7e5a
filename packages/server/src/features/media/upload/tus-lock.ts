import { ERRORS, type Lock, type Locker } from "@tus/server";

/** How long a request waits for another one of the same upload, ms. */
const lockTimeoutMs = 20_000;

interface LockHolder {
  ended: Promise<void>;
  end(): void;
  requestRelease(): void;
}

/**
 * Waits until the holder has ended; throws if that takes too long or the waiting request is
 * aborted.
 */
async function waitFor(holder: LockHolder, signal: AbortSignal): Promise<void> {
  const gaveUp = Promise.withResolvers<never>();
  const fail = () => gaveUp.reject(ERRORS.ERR_LOCK_TIMEOUT);
  const timer = setTimeout(fail, lockTimeoutMs).unref();
  signal.addEventListener("abort", fail, { once: true });
  if (signal.aborted) fail();
  try {
    await Promise.race([holder.ended, gaveUp.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", fail);
  }
}

/**
 * One request at a time for each upload. A second request asks the first one to end, so a client
 * whose connection is dead can resume its upload. (The package's own locker polls.)
 */
export function makeUploadLocker(): Locker {
  const holders = new Map<string, LockHolder>();

  function newLock(id: string): Lock {
    return {
      async lock(signal, requestRelease) {
        for (let holder = holders.get(id); holder; holder = holders.get(id)) {
          holder.requestRelease();
          await waitFor(holder, signal);
        }
        const { promise: ended, resolve: end } = Promise.withResolvers<void>();
        holders.set(id, { ended, end, requestRelease: () => void requestRelease() });
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
