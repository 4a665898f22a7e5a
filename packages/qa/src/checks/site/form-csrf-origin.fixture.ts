import type { SiteFixture } from "../fixture.ts";
import { form, formAnswer } from "../probe-sketch.ts";

const answers = {};
const of = (status: number | null) => ({ forms: [form({ foreign: formAnswer(status) })] });

export const cases: SiteFixture = {
  "form.csrf-origin": {
    bad: [
      {
        why: "taken",
        answers,
        probes: of(200),
        evidence: { origin: "https://elsewhere.invalid", status: 200 },
      },
      { why: "led on", answers, probes: of(303) },
      { why: "looked into", answers, probes: of(422) },
    ],
    good: [
      { why: "refused", answers, probes: of(403) },
      { why: "no forms of browsers", answers, probes: of(415) },
      { why: "not there", answers, probes: of(404) },
      { why: "asked too often", answers, probes: of(429) },
      { why: "failing", answers, probes: of(500) },
      { why: "no answer", answers, probes: of(null) },
    ],
  },
};
