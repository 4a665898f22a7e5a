import type { SiteCheck } from "../../check.ts";

/** In ms: from here on, people notice. */
const slow = 500;

const at = (times: readonly number[], share: number): number =>
  Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0);

/** Reports that Vitrine is slow to answer even the simplest request. */
export const healthLatency: SiteCheck = {
  id: "health.latency",
  category: "health",
  severity: "warning",
  scope: "probe",
  *run(_crawl, { health }) {
    if (!health || health.status === null || health.times.length < 3) return;
    const { times } = health;
    const p50 = at(times, 0.5);
    // A single slow response may be chance.
    if (p50 <= slow) return;
    yield {
      page: "/",
      at: "p50",
      message: `The server takes ${p50} ms to respond.`,
      location: { selector: "/api/health" },
      evidence: { p50, p95: at(times, 0.95), n: times.length },
    };
  },
};
