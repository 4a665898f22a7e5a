import type { SiteFixture } from "../fixture.ts";
import { form } from "../probe-fixture.ts";

const responses = {};
const statuses = [405, 403, 200, 429];

export const cases: SiteFixture = {
  "form.rate-limit": {
    bad: [{ responses, probes: { forms: [form({ statuses })] }, evidence: { n: 4, statuses } }],
    good: [
      { why: "never turned away", responses, probes: { forms: [form()] } },
      {
        why: "from outside it is right",
        responses,
        probes: { forms: [form({ statuses, loopback: false })] },
      },
    ],
  },
};
