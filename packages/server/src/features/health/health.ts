import type { Clock } from "../../kit/clock.ts";

export type CheckStatus = "ok" | "degraded" | "down";

/** What one look at a part found. `note` is public: a word or a sentence without addresses or paths. */
export interface CheckResult {
  status: CheckStatus;
  note?: string;
}

export interface HealthCheck {
  /** Whether nothing works without this part: only such a one can take the whole down. */
  essential: boolean;
  look(): CheckResult | Promise<CheckResult>;
}

export interface Health {
  status: CheckStatus;
  version: string;
  /** Whole seconds since the process began. */
  uptime: number;
  checks: Record<string, CheckResult>;
}

/** How long an answer is used again, and how long a check may take, in ms. */
const freshMs = 1000;
const patienceMs = 2000;

async function lookAt(check: HealthCheck): Promise<CheckResult> {
  const { promise, resolve } = Promise.withResolvers<CheckResult>();
  const late = setTimeout(() => resolve({ status: "down", note: "gives no answer" }), patienceMs);
  try {
    return await Promise.race([Promise.resolve(check.look()), promise]);
  } catch {
    return { status: "down", note: "fails" };
  } finally {
    clearTimeout(late);
  }
}

function overall(checks: Record<string, HealthCheck>, results: Record<string, CheckResult>) {
  const names = Object.keys(checks);
  if (names.some((name) => checks[name]?.essential && results[name]?.status === "down")) {
    return "down";
  }
  return names.some((name) => results[name]?.status !== "ok") ? "degraded" : "ok";
}

export interface HealthDeps {
  checks: Record<string, HealthCheck>;
  version: string;
  clock: Clock;
}

/**
 * Looks at all parts at once. Within a second the same answer is given again, and callers who come
 * during a look share it: asking often costs nothing.
 */
export function makeHealth(deps: HealthDeps): () => Promise<Health> {
  const { checks, version, clock } = deps;
  const began = clock.monotonic();
  let latest: { at: number; health: Promise<Health> } | null = null;
  const look = async (): Promise<Health> => {
    const found = Object.entries(checks).map(async ([name, check]) => {
      return [name, await lookAt(check)] as const;
    });
    const results = Object.fromEntries(await Promise.all(found));
    const uptime = Math.floor((clock.monotonic() - began) / 1000);
    return { status: overall(checks, results), version, uptime, checks: results };
  };
  return () => {
    const at = clock.monotonic();
    if (latest === null || at - latest.at >= freshMs) latest = { at, health: look() };
    return latest.health;
  };
}
