import type { SiteFixture } from "../fixture.ts";
import { form, formResponse } from "../probe-fixture.ts";

const responses = {};
const of = (status: number | null) => ({ forms: [form({ foreign: formResponse(status) })] });

export const cases: SiteFixture = {
  "form.csrf-origin": {
    bad: [
      {
        why: "taken",
        responses,
        probes: of(200),
        evidence: { origin: "https://elsewhere.invalid", status: 200 },
      },
      { why: "led on", responses, probes: of(303) },
      { why: "looked into", responses, probes: of(422) },
    ],
    good: [
      { why: "refused", responses, probes: of(403) },
      { why: "no forms of browsers", responses, probes: of(415) },
      { why: "not there", responses, probes: of(404) },
      { why: "asked too often", responses, probes: of(429) },
      { why: "failing", responses, probes: of(500) },
      { why: "no answer", responses, probes: of(null) },
    ],
  },
};
