import type { SiteFixture } from "../fixture.ts";
import { health } from "../probe-sketch.ts";

const answers = {};
const of = (status: string, note = "") => ({ health: health({ migrations: { status, note } }) });

export const cases: SiteFixture = {
  "health.migrations": {
    bad: [{ answers, probes: of("down", "fails"), evidence: { applied: "fails" } }],
    good: [
      { why: "all are there", answers, probes: of("ok") },
      { why: "nobody could tell", answers, probes: of("down", "gives no answer") },
      { why: "not said", answers, probes: { health: health({ migrations: null }) } },
      { why: "another’s site", answers, probes: { health: null } },
    ],
  },
};
