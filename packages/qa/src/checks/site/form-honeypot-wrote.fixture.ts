import type { SiteFixture } from "../fixture.ts";
import { form } from "../probe-fixture.ts";

const responses = {};
const messages = { before: 2, after: 4 };

export const cases: SiteFixture = {
  "form.honeypot-wrote": {
    bad: [
      {
        responses,
        probes: { forms: [form({ honeypotWrote: true, messages })] },
        evidence: { payloadHash: "abc", before: 2, after: 4 },
        target: "/api/contact",
        page: "/contact/",
      },
    ],
    good: [
      { why: "nothing came", responses, probes: { forms: [form()] } },
      {
        why: "a visitor’s message came meanwhile",
        responses,
        probes: { forms: [form({ honeypotWrote: false, messages: { before: 3, after: 3 } })] },
      },
      {
        why: "nothing can tell",
        responses,
        probes: { forms: [form({ honeypotWrote: null, messages: null })] },
      },
    ],
  },
};
