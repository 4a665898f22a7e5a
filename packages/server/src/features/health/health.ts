import type { Clock } from "../../kit/clock.ts";

export type CheckStatus = "ok" | "degraded" | "down";

/**
 * The result of checking one part. `note` is public: a word or a sentence without addresses or
 * paths.
 */
export interface CheckResult {
  status: CheckStatus;
  note?: string;
}

export interface HealthCheck {
  /** Whether nothing works without this part; only such a part can make the service down. */
  essential: boolean;
  run(): CheckResult | Promise<CheckResult>;
}

export interface Health {
  status: CheckStatus;
  version: string;
  /** Whole seconds since the process started. */
  uptime: number;
  checks: Record<string, CheckResult>;
}

/** How long a result is reused, and the time limit of a check, in ms. */
const freshMs = 1000;
const timeoutMs = 2000;

async function runCheck(check: HealthCheck): Promise<CheckResult> {
  const { promise, resolve } = Promise.withResolvers<CheckResult>();
  const late = setTimeout(() => resolve({ status: "down", note: "doesn't respond" }), timeoutMs);
  try {
    return await Promise.race([Promise.resolve(check.run()), promise]);
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

export interface HealthDependencies {
  checks: Record<string, HealthCheck>;
  version: string;
  clock: Clock;
}

/**
 * Checks all parts at once. The result is reused for a second, and concurrent callers share a
 * check, so frequent requests cost nothing.
 */
export function makeHealth(deps: HealthDependencies): () => Promise<Health> {
  const { checks, version, clock } = deps;
  const startedAt = clock.monotonic();
  let latest: { at: number; health: Promise<Health> } | null = null;
  const run = async (): Promise<Health> => {
    const found = Object.entries(checks).map(async ([name, check]) => {
      return [name, await runCheck(check)] as const;
    });
    const results = Object.fromEntries(await Promise.all(found));
    const uptime = Math.floor((clock.monotonic() - startedAt) / 1000);
    return { status: overall(checks, results), version, uptime, checks: results };
  };
  return () => {
    const at = clock.monotonic();
    if (latest === null || at - latest.at >= freshMs) latest = { at, health: run() };
    return latest.health;
  };
}
