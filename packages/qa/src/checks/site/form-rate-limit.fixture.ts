import type { SiteFixture } from "../fixture.ts";
import { form } from "../probe-sketch.ts";

const answers = {};
const statuses = [405, 403, 200, 429];

export const cases: SiteFixture = {
  "form.rate-limit": {
    bad: [{ answers, probes: { forms: [form({ statuses })] }, evidence: { n: 4, statuses } }],
    good: [
      { why: "never turned away", answers, probes: { forms: [form()] } },
      {
        why: "from outside it is right",
        answers,
        probes: { forms: [form({ statuses, loopback: false })] },
      },
    ],
  },
};
