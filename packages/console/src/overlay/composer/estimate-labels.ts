import type { Estimate } from "../../api/types.ts";
import { formatMilliseconds, formatMoney, usageLabels } from "../../features/runs/labels.ts";
import { formatCount } from "../../ui/format.ts";

export interface EstimateLine {
  text: string;
  /** What prevents it, or will; null if nothing does. */
  warning: string | null;
  /** Whether the server accepts no runs at the moment. */
  blocked: boolean;
}

type Unit = "tokens" | "cost";

/** A number rounded to two significant digits: 11,873 → 12,000. */
function rough(value: number): number {
  return value < 100 ? Math.round(value) : Number(value.toPrecision(2));
}

const formatTokens = (unit: Unit, value: number, currency: string | null): string =>
  unit === "tokens"
    ? formatCount(Math.round(value), "token")
    : `a cost of ${formatMoney(value, currency)}`;

/** "About 12,000 tokens, cost €0.04, 20 s (8 runs)". */
function expectation({ tokens, cost, currency, seconds, runs }: Estimate): string {
  const parts = [
    ...usageLabels(rough(tokens?.typical ?? 0), cost?.typical ?? null, currency),
    ...(seconds && seconds.typical > 0 ? [formatMilliseconds(seconds.typical * 1000)] : []),
  ];
  if (parts.length === 0) return "No estimate yet";
  return `About ${parts.join(", ")} (${formatCount(runs, "run")})`;
}

const periods = [
  { period: "day", whose: "Today’s", left: "today", again: "tomorrow" },
  { period: "month", whose: "This month’s", left: "this month", again: "next month" },
] as const;

/** What a similar run would use, and which limit that would exceed. */
export function formatEstimate(estimate: Estimate): EstimateLine {
  const text = expectation(estimate);
  let warning: string | null = null;
  for (const { period, whose, left, again } of periods) {
    const { spent, ceiling } = estimate[period];
    for (const unit of ["tokens", "cost"] as const) {
      const [max, used] = [ceiling[unit], spent[unit]];
      if (max === null || used === null) continue;
      if (used >= max) {
        const reached = `${whose} limit of ${formatTokens(unit, max, estimate.currency)} is reached.`;
        return { text, warning: `${reached} Runs can start again ${again}.`, blocked: true };
      }
      const typical = estimate[unit]?.typical ?? 0;
      if (typical > max - used) {
        warning ??= `This may exceed what’s left ${left}: ${formatTokens(unit, max - used, estimate.currency)}.`;
      }
    }
  }
  return { text, warning, blocked: false };
}
