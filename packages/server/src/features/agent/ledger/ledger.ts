import type { Clock } from "../../../kit/clock.ts";
import { AppError } from "../../../kit/errors.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { BudgetSetting, Ceiling } from "../../settings/budget-setting.ts";
import { readBudget, type Settings } from "../../settings/settings.ts";
import type { StepUse } from "../agent.ts";
import { boundsOf, type Span } from "./calendar.ts";
import { insertUse, type Origin, type Purpose, sumUses, sumUsesByOrigin } from "./store.ts";

/** What was used: counted tokens, and money if prices are known, in the current currency. */
export interface ModelSpending {
  tokens: number;
  cost: number | null;
}

export interface Booking extends StepUse {
  purpose: Purpose;
  runId: string | null;
}

/**
 * The recorded usage of models and the owner's limits. Days and months are in the owner's time
 * zone.
 */
export interface Ledger {
  /**
   * Records usage, then throws AppError `upstream_failed` with `details` {limit, spent, ceiling} if
   * the limit of the day or the month is reached; the usage is recorded in any case.
   */
  book(use: Booking): Promise<void>;
  /** Throws `throttled` with the same details if the limit of the day or the month is used up. */
  assertOpen(): Promise<void>;
  ceilings(): Promise<BudgetSetting>;
  spent(): Promise<Record<Span, ModelSpending>>;
  /** What was used in the current day or month, or since a time (ISO 8601 UTC), by origin. */
  spentByOrigin(from: Span | { since: string }): Promise<Record<Origin, ModelSpending>>;
  /** The currency of the current model; null if unknown. */
  currency(): Promise<string | null>;
}

export interface LedgerDependencies {
  db: Db;
  clock: Pick<Clock, "now">;
  settings: Pick<Settings, "read">;
  /** Defines the time zone of days and months; read for every calculation. */
  owner: { readonly timeZone: string };
  /** Default limit per run if the owner hasn't set one; without it, no limit. */
  runTokens?: number;
  /** The currency of limits: that of the current model. Defaults to null. */
  currency?(): Promise<string | null>;
}

const spans = ["day", "month"] as const;
const maxWaitSeconds = 3600;

interface Reached {
  limit: Span;
  unit: "tokens" | "cost";
  spent: ModelSpending;
  ceiling: Ceiling;
  currency: string | null;
}

function unitReached(spent: ModelSpending, ceiling: Ceiling): Reached["unit"] | null {
  if (ceiling.tokens !== null && spent.tokens >= ceiling.tokens) return "tokens";
  const { cost } = ceiling;
  return cost !== null && spent.cost !== null && spent.cost >= cost ? "cost" : null;
}

function sentence({ limit, unit, ceiling, currency }: Reached): string {
  const amount =
    unit === "tokens"
      ? `${(ceiling.tokens ?? 0).toLocaleString("en-GB")} tokens`
      : `costs of ${ceiling.cost} ${currency ?? ""}`.trimEnd();
  return `The ${limit === "day" ? "daily" : "monthly"} limit is reached: ${amount}.`;
}

const detailsOf = ({ limit, spent, ceiling }: Reached) => ({ limit, spent, ceiling });

/** The ledger of one instance. */
export function makeLedger(deps: LedgerDependencies): Ledger {
  const { db, clock, settings, owner, runTokens } = deps;

  async function ceilings(): Promise<BudgetSetting> {
    const budget = await readBudget(settings);
    return { ...budget, run: { ...budget.run, tokens: budget.run.tokens ?? runTokens ?? null } };
  }
  const currencyNow = async () => (await deps.currency?.()) ?? null;
  const startOf = (span: Span) => isoTime(boundsOf(span, clock.now(), owner.timeZone).from);
  const spentIn = (span: Span, currency: string | null) => sumUses(db, startOf(span), currency);

  /** The limit that has been reached, if any; only usage with a limit is added up. */
  async function reached(): Promise<Reached | null> {
    const [all, currency] = await Promise.all([ceilings(), currencyNow()]);
    for (const limit of spans.toReversed()) {
      const ceiling = all[limit];
      if (ceiling.tokens === null && ceiling.cost === null) continue;
      const spent = await spentIn(limit, currency);
      const unit = unitReached(spent, ceiling);
      if (unit !== null) return { limit, unit, spent, ceiling, currency };
    }
    return null;
  }

  return {
    async book(use) {
      await insertUse(db, { ...use, at: isoTime(clock.now()) });
      const found = await reached();
      if (found === null) return;
      throw new AppError("upstream_failed", sentence(found), { details: detailsOf(found) });
    },
    async assertOpen() {
      const found = await reached();
      if (found === null) return;
      const wait = Math.ceil(
        (boundsOf(found.limit, clock.now(), owner.timeZone).to - clock.now()) / 1000,
      );
      throw new AppError("throttled", `${sentence(found)} You can raise it on the settings page.`, {
        details: detailsOf(found),
        headers: { "retry-after": String(Math.min(maxWaitSeconds, wait)) },
      });
    },
    ceilings,
    currency: currencyNow,
    async spentByOrigin(from) {
      const start = typeof from === "string" ? startOf(from) : from.since;
      return sumUsesByOrigin(db, start, await currencyNow());
    },
    async spent() {
      const currency = await currencyNow();
      const [day, month] = await Promise.all(spans.map((span) => spentIn(span, currency)));
      const nothing = { tokens: 0, cost: null };
      return { day: day ?? nothing, month: month ?? nothing };
    },
  };
}
