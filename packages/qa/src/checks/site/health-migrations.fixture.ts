import type { SiteFixture } from "../fixture.ts";
import { health } from "../probe-fixture.ts";

const responses = {};
const of = (status: string, note = "") => ({ health: health({ migrations: { status, note } }) });

export const cases: SiteFixture = {
  "health.migrations": {
    bad: [{ responses, probes: of("down", "fails"), evidence: { applied: "fails" } }],
    good: [
      { why: "all are there", responses, probes: of("ok") },
      { why: "nobody could tell", responses, probes: of("down", "doesn’t respond") },
      { why: "not said", responses, probes: { health: health({ migrations: null }) } },
      { why: "another’s site", responses, probes: { health: null } },
    ],
  },
};
