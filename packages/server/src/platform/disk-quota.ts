import type { Clock } from "../kit/clock.ts";
import { AppError } from "../kit/errors.ts";
import { diskUsage } from "./disk-usage.ts";

/** How much disk space an instance may use. */
export interface DiskQuota {
  /**
   * Throws `disk_full` if the instance would use more with so many more bytes. What is asked for
   * counts until it is measured, and of what is asked for again by the same name, the most.
   */
  assertRoom(bytes: number, name?: string): Promise<void>;
  /** The same with a quarter more, for what an owner needs to publish what frees space. */
  assertReserve(): Promise<void>;
}

/** For an instance without a limit. */
export const unlimitedDisk: DiskQuota = {
  assertRoom: async () => {},
  assertReserve: async () => {},
};

/** How long a measurement is used, in ms: it looks at every file. */
const freshMs = 30_000;
const reserve = 1.25;

const mib = (bytes: number) => Math.ceil(bytes / 2 ** 20);

/** Limits the disk space of the instance in `dir`; null is no limit. Nothing is measured before somebody asks. */
export function makeDiskQuota(options: {
  dir: string;
  maxMiB: number | null;
  clock: Pick<Clock, "monotonic">;
}): DiskQuota {
  const { dir, maxMiB, clock } = options;
  if (maxMiB === null) return unlimitedDisk;
  let measured: { at: number; bytes: Promise<number> } | null = null;
  /** What was asked for since, in all, and by name. */
  let promised = 0;
  const named = new Map<string, number>();

  function measure(): Promise<number> {
    if (measured === null || clock.monotonic() - measured.at > freshMs) {
      promised = 0;
      named.clear();
      measured = { at: clock.monotonic(), bytes: diskUsage(dir) };
    }
    return measured.bytes;
  }

  async function assertBelow(maxBytes: number, bytes: number, name?: string): Promise<void> {
    const stored = await measure();
    // Nothing comes between looking at what others were promised and promising more.
    const own = name === undefined ? 0 : (named.get(name) ?? 0);
    const more = Math.max(0, bytes - own);
    const used = stored + promised;
    if (used + more <= maxBytes) {
      promised += more;
      if (name !== undefined) named.set(name, own + more);
      return;
    }
    const message = `This site may use ${maxMiB} MiB of disk space and uses ${mib(used)} MiB. Delete what you don't need, or have the limit raised.`;
    throw new AppError("disk_full", message, { details: { usedBytes: used, maxMiB } });
  }

  const maxBytes = maxMiB * 2 ** 20;
  return {
    assertRoom: (bytes, name) => assertBelow(maxBytes, bytes, name),
    assertReserve: () => assertBelow(maxBytes * reserve, 0),
  };
}
