import type { SiteFixture } from "../fixture.ts";
import { health } from "../probe-fixture.ts";

const responses = {};
const of = (...times: number[]) => ({ health: health({ times }) });

export const cases: SiteFixture = {
  "health.latency": {
    bad: [
      { responses, probes: of(100, 600, 800, 900, 2000), evidence: { p50: 800, p95: 2000, n: 5 } },
    ],
    good: [
      { why: "quick", responses, probes: of(3, 4, 5, 6, 7) },
      { why: "one slow answer", responses, probes: of(3, 4, 5, 6, 4000) },
      { why: "too few answers", responses, probes: of(900) },
      { why: "another’s site", responses, probes: { health: null } },
    ],
  },
};
