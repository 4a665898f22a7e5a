import type { Visit } from "./visit.ts";

type Paint = Visit["paint"];

/**
 * What counts as poor, by web.dev/articles/vitals (largest paint in ms, shift) and Lighthouse's weights
 * (blocked time in ms). What lies between good and poor depends on the machine too much to be told.
 */
export const poor = { largestMs: 4000, shift: 0.25, blockedMs: 600 } as const;

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
