import type { SiteFixture } from "../fixture.ts";
import { form, formAnswer } from "../probe-sketch.ts";

const answers = {};
const of = (more: Parameters<typeof form>[0]) => ({ forms: [form(more)] });
const fields = ["name", "email", "message"];

export const cases: SiteFixture = {
  "form.validation-missing": {
    bad: [
      {
        why: "it takes nothing for something",
        answers,
        probes: of({ empty: formAnswer(200) }),
        severity: "error",
        evidence: { omitted: fields, status: 200 },
      },
      {
        why: "and keeps it",
        answers,
        probes: of({ empty: formAnswer(200), emptyMessages: { before: 2, after: 3 } }),
        says: "and keeps it",
      },
      { why: "it fails", answers, probes: of({ empty: formAnswer(500) }), says: "500" },
      {
        why: "it forgets a field",
        answers,
        probes: of({ empty: formAnswer(422, { fields: ["name", "email"] }) }),
        severity: "warning",
        says: "about message",
      },
      {
        why: "another answer than agreed",
        answers,
        probes: of({ empty: formAnswer(400, { code: "bad_request", fields }) }),
        says: "as agreed",
      },
    ],
    good: [
      { why: "it says what is missing", answers, probes: of({}) },
      {
        why: "more than the markup says",
        answers,
        probes: of({ empty: formAnswer(422, { fields: [...fields, "topic"] }) }),
      },
      { why: "asked too often", answers, probes: of({ empty: formAnswer(429) }) },
      { why: "not tried", answers, probes: of({ empty: null }) },
    ],
  },
};
