import type { SiteFixture } from "../fixture.ts";
import { form, formResponse } from "../probe-fixture.ts";

const responses = {};
const of = (get: ReturnType<typeof formResponse>) => ({ forms: [form({ get })] });

export const cases: SiteFixture = {
  "form.get-leaks": {
    bad: [
      { why: "data", responses, probes: of(formResponse(200)), evidence: { status: 200 } },
      { why: "a table", responses, probes: of(formResponse(200, { type: "text/csv", ok: null })) },
    ],
    good: [
      { why: "not allowed", responses, probes: of(formResponse(405)) },
      { why: "nothing there", responses, probes: of(formResponse(404)) },
      {
        why: "the page of the form itself",
        responses,
        probes: of(formResponse(200, { type: "text/html", ok: null })),
      },
      { why: "a success that says no", responses, probes: of(formResponse(200, { ok: false })) },
      { why: "nothing in it", responses, probes: of(formResponse(204, { type: "", ok: null })) },
      { why: "no answer", responses, probes: of(formResponse(null)) },
    ],
  },
};
