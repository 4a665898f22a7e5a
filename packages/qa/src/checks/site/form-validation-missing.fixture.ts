import type { SiteFixture } from "../fixture.ts";
import { form, formResponse } from "../probe-fixture.ts";

const responses = {};
const of = (more: Parameters<typeof form>[0]) => ({ forms: [form(more)] });
const fields = ["name", "email", "message"];

export const cases: SiteFixture = {
  "form.validation-missing": {
    bad: [
      {
        why: "it takes nothing for something",
        responses,
        probes: of({ empty: formResponse(200) }),
        severity: "error",
        evidence: { omitted: fields, status: 200 },
      },
      {
        why: "and keeps it",
        responses,
        probes: of({ empty: formResponse(200), emptyMessages: { before: 2, after: 3 } }),
        message: "and keeps it",
      },
      { why: "it fails", responses, probes: of({ empty: formResponse(500) }), message: "500" },
      {
        why: "it forgets a field",
        responses,
        probes: of({ empty: formResponse(422, { fields: ["name", "email"] }) }),
        severity: "warning",
        message: "about message",
      },
      {
        why: "another answer than agreed",
        responses,
        probes: of({ empty: formResponse(400, { code: "bad_request", fields }) }),
        message: "as agreed",
      },
    ],
    good: [
      { why: "it says what is missing", responses, probes: of({}) },
      {
        why: "more than the markup says",
        responses,
        probes: of({ empty: formResponse(422, { fields: [...fields, "topic"] }) }),
      },
      { why: "asked too often", responses, probes: of({ empty: formResponse(429) }) },
      { why: "not tried", responses, probes: of({ empty: null }) },
    ],
  },
};
