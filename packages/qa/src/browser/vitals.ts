import { availableParallelism, loadavg } from "node:os";
import type { Visit } from "./visit.ts";

/**
 * More processes waiting than processors: measurements would be about the machine, not the page.
 */
export const isBusy = (): boolean => (loadavg()[0] ?? 0) > availableParallelism();

type Paint = Visit["paint"];

/**
 * Limits beyond which a page is reported, measured on the site's own machine without a slow
 * network: largest paint in ms and shift are where web.dev/articles/vitals ends "good"; blocked
 * time in ms is where Lighthouse's "poor" begins, because other work slows scripts, too.
 */
export const poor = { largestMs: 2500, shift: 0.1, blockedMs: 600 } as const;

/** Whether a paint exceeds one of these limits. */
export function isPoor({ largest, shift, blockedMs }: Paint): boolean {
  return (largest?.ms ?? 0) > poor.largestMs || shift > poor.shift || blockedMs > poor.blockedMs;
}

const middle = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

/** The median of each value over several measurements; `runs` is their number. */
export function median(paints: readonly Paint[]): Paint {
  const firsts = paints.flatMap(({ first }) => first ?? []);
  const largest = paints.flatMap((paint) => paint.largest ?? []);
  const ms = middle(largest.map((one) => one.ms));
  return {
    first: firsts.length > 0 ? middle(firsts) : null,
    largest: largest.find((one) => one.ms === ms) ?? null,
    shift: middle(paints.map(({ shift }) => shift)),
    blockedMs: middle(paints.map(({ blockedMs }) => blockedMs)),
    runs: paints.length,
  };
}
