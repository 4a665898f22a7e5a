import { availableParallelism, loadavg } from "node:os";
import type { Visit } from "./visit.ts";

/** More work waiting than there are processors: what is measured then is the machine, not the page. */
export const isBusy = (): boolean => (loadavg()[0] ?? 0) > availableParallelism();

type Paint = Visit["paint"];

/**
 * Beyond these a page is told, measured on the machine of the site itself, which no network slows:
 * largest paint in ms and shift by web.dev/articles/vitals, where good ends; blocked time in ms where
 * Lighthouse's poor begins, because other work slows scripts, too.
 */
export const poor = { largestMs: 2500, shift: 0.1, blockedMs: 600 } as const;

/** Whether a paint is beyond one of these bounds. */
export function isPoor({ largest, shift, blockedMs }: Paint): boolean {
  return (largest?.ms ?? 0) > poor.largestMs || shift > poor.shift || blockedMs > poor.blockedMs;
}

const middle = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

/** Of several looks at a page, the middle one of each figure; `runs` says how many. */
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
