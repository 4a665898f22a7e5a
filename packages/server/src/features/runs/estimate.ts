import { usesOfRuns } from "../agent/ledger/store.ts";
import { countedTokens } from "../agent/token-count.ts";
import { listPastRuns } from "./estimate-store.ts";
import type { RunDependencies } from "./run-dependencies.ts";
import type { Estimate, RunMode } from "./schema.ts";

/** How many runs an estimate uses, and the minimum for one. */
const maxPastRuns = 50;
const minPastRuns = 3;

/** The smallest value that is at least as large as `share` of all (nearest rank). */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

/** The median (of an even number, the mean of both) and the 90th percentile. */
function summarize(values: readonly (number | null)[]): { typical: number; high: number } | null {
  const sorted = values.filter((value) => value !== null).toSorted((a, b) => a - b);
  if (sorted.length < minPastRuns) return null;
  const half = sorted.length / 2;
  const upper = sorted[Math.floor(half)] ?? 0;
  const typical = Number.isInteger(half) ? ((sorted[half - 1] ?? 0) + upper) / 2 : upper;
  return { typical, high: percentile(sorted, 0.9) };
}

/** What the last runs with this mode and model used; costs in another currency are left out. */
async function readPastRuns(
  { db }: RunDependencies,
  query: { mode: RunMode; model: string },
  currency: string | null,
) {
  const past = await listPastRuns(db, { ...query, limit: maxPastRuns });
  const uses = await usesOfRuns(
    db,
    past.map(({ id }) => id),
  );
  return past.map(({ id, cost, seconds, ...read }) => {
    const use = uses.get(id) ?? { currency: null, cachedTokens: 0 };
    const same = use.currency === null || use.currency === currency;
    const tokens = countedTokens({ ...read, cachedTokens: use.cachedTokens });
    return { tokens, cost: same ? cost : null, seconds };
  });
}

/**
 * What a run will probably use, from the last 50 with its mode and the current model, and what may
 * be spent.
 */
export async function estimateRun(deps: RunDependencies, mode: RunMode): Promise<Estimate> {
  const { ledger } = deps;
  const { model, currency } = await deps.selectAgent("editor");
  const [past, spent, ceilings] = await Promise.all([
    readPastRuns(deps, { mode, model }, currency),
    ledger.spent(),
    ledger.ceilings(),
  ]);
  return {
    model,
    runs: past.length,
    currency,
    tokens: summarize(past.map(({ tokens }) => tokens)),
    cost: summarize(past.map(({ cost }) => cost)),
    seconds: summarize(past.map(({ seconds }) => seconds)),
    run: ceilings.run,
    day: { spent: spent.day, ceiling: ceilings.day },
    month: { spent: spent.month, ceiling: ceilings.month },
  };
}
