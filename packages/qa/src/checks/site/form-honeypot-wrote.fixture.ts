import type { SiteFixture } from "../fixture.ts";
import { form } from "../probe-sketch.ts";

const answers = {};
const messages = { before: 2, after: 4 };

export const cases: SiteFixture = {
  "form.honeypot-wrote": {
    bad: [
      {
        answers,
        probes: { forms: [form({ trappedWrote: true, messages })] },
        evidence: { payloadHash: "abc", before: 2, after: 4 },
        target: "/api/contact",
        page: "/contact/",
      },
    ],
    good: [
      { why: "nothing came", answers, probes: { forms: [form()] } },
      {
        why: "a visitor’s message came meanwhile",
        answers,
        probes: { forms: [form({ trappedWrote: false, messages: { before: 3, after: 3 } })] },
      },
      {
        why: "nothing can tell",
        answers,
        probes: { forms: [form({ trappedWrote: null, messages: null })] },
      },
    ],
  },
};
