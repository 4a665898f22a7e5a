import type { SiteFixture } from "../fixture.ts";
import { form, formResponse } from "../probe-fixture.ts";

const responses = {};
const of = (more: Parameters<typeof form>[0]) => ({ forms: [form(more)] });

export const cases: SiteFixture = {
  "form.honeypot-accepted-silently": {
    bad: [
      {
        why: "it tells of the trap",
        responses,
        probes: of({ honeypotFilled: formResponse(422, { fields: ["website"] }) }),
        severity: "error",
        evidence: { payloadHash: "abc", status: 422, envelopeOk: false, before: 2, after: 2 },
      },
      {
        why: "nothing counts messages",
        responses,
        probes: of({ honeypotWrote: null, messages: null }),
        severity: "notice",
        message: "Couldn’t check",
        evidence: { status: 200, envelopeOk: true, before: null, after: null },
      },
    ],
    good: [
      { why: "silently", responses, probes: of({}) },
      {
        why: "it did not like something else",
        responses,
        probes: of({ honeypotFilled: formResponse(422, { fields: ["email"] }) }),
      },
      {
        why: "it was kept, which is another check’s",
        responses,
        probes: of({ honeypotWrote: true }),
      },
      { why: "asked too often", responses, probes: of({ honeypotFilled: formResponse(429) }) },
      {
        why: "not there",
        responses,
        probes: of({ honeypotFilled: formResponse(404), honeypotWrote: null }),
      },
    ],
  },
};
