import type { SiteFixture } from "../fixture.ts";
import { health } from "../probe-sketch.ts";

const answers = {};
const of = (...times: number[]) => ({ health: health({ times }) });

export const cases: SiteFixture = {
  "health.latency": {
    bad: [
      { answers, probes: of(100, 600, 800, 900, 2000), evidence: { p50: 800, p95: 2000, n: 5 } },
    ],
    good: [
      { why: "quick", answers, probes: of(3, 4, 5, 6, 7) },
      { why: "one slow answer", answers, probes: of(3, 4, 5, 6, 4000) },
      { why: "too few answers", answers, probes: of(900) },
      { why: "another’s site", answers, probes: { health: null } },
    ],
  },
};
