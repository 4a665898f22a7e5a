import type { SiteFixture } from "../fixture.ts";
import { form, formAnswer } from "../probe-sketch.ts";

const answers = {};
const of = (more: Parameters<typeof form>[0]) => ({ forms: [form(more)] });

export const cases: SiteFixture = {
  "form.honeypot-accepted-silently": {
    bad: [
      {
        why: "it tells of the trap",
        answers,
        probes: of({ trapped: formAnswer(422, { fields: ["website"] }) }),
        severity: "error",
        evidence: { payloadHash: "abc", status: 422, envelopeOk: false, before: 2, after: 2 },
      },
      {
        why: "nothing counts messages",
        answers,
        probes: of({ trappedWrote: null, messages: null }),
        severity: "notice",
        says: "could not be checked",
        evidence: { status: 200, envelopeOk: true, before: null, after: null },
      },
    ],
    good: [
      { why: "silently", answers, probes: of({}) },
      {
        why: "it did not like something else",
        answers,
        probes: of({ trapped: formAnswer(422, { fields: ["email"] }) }),
      },
      { why: "it was kept, which is another check’s", answers, probes: of({ trappedWrote: true }) },
      { why: "asked too often", answers, probes: of({ trapped: formAnswer(429) }) },
      { why: "not there", answers, probes: of({ trapped: formAnswer(404), trappedWrote: null }) },
    ],
  },
};
