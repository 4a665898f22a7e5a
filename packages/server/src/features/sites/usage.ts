import type { Clock } from "../../kit/clock.ts";
import { makeBoundedSemaphore } from "../../kit/concurrency.ts";
import { AppError } from "../../kit/errors.ts";

/** How long a measurement is used, in ms, because it reads the size of every file of a site. */
const freshMs = 60_000;
/** How many measurements are kept. */
const maxKept = 1000;

/** What a site uses of the machine. */
export interface SiteUsage {
  id: string;
  /** The disk space that its folder needs. */
  diskBytes: number;
  /** Its limit; null: none. */
  diskMiB: number | null;
  /** When its processes last started or ended, ISO 8601; null: never. */
  activeAt: string | null;
}

export interface UsageReader {
  /** What sites use, in their order, at most a minute old; without those that can't be measured. */
  read(names: readonly string[]): Promise<SiteUsage[]>;
  /** Has a site measured again next time. */
  forget(name: string): void;
}

/** Measures sites, one request after the other, and keeps the results for a minute. */
export function makeUsageReader(deps: {
  clock: Pick<Clock, "monotonic">;
  measure(names: readonly string[]): Promise<(SiteUsage | null)[]>;
}): UsageReader {
  const { clock, measure } = deps;
  const kept = new Map<string, { at: number; usage: SiteUsage | null }>();
  const turns = makeBoundedSemaphore({
    limit: 1,
    waiting: 8,
    full: () =>
      new AppError("unavailable", "The disk space of sites is being measured. Try again later.", {
        headers: { "retry-after": "5" },
      }),
  });

  function keep(name: string, usage: SiteUsage | null): void {
    kept.delete(name);
    kept.set(name, { at: clock.monotonic(), usage });
    const [oldest] = kept.keys();
    if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
  }

  return {
    read: (names) =>
      turns.run(async () => {
        const isFresh = (name: string) =>
          clock.monotonic() - (kept.get(name)?.at ?? -Infinity) < freshMs;
        const missing = [...new Set(names)].filter((name) => !isFresh(name));
        const measured = missing.length === 0 ? [] : await measure(missing);
        for (const [at, name] of missing.entries()) keep(name, measured[at] ?? null);
        return names.flatMap((name) => kept.get(name)?.usage ?? []);
      }),
    forget: (name) => void kept.delete(name),
  };
}
