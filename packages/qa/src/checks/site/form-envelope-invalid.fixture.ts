import type { SiteFixture } from "../fixture.ts";
import { form, formResponse } from "../probe-fixture.ts";

const responses = {};
const of = (more: Parameters<typeof form>[0]) => ({ forms: [form(more)] });
const page = { type: "text/html", ok: null } as const;

export const cases: SiteFixture = {
  "form.envelope-invalid": {
    bad: [
      {
        why: "another shape",
        responses,
        probes: of({
          honeypotFilled: formResponse(200, {
            ok: null,
            invalid: { path: "$.ok", got: "nothing" },
          }),
        }),
        evidence: { path: "$.ok", got: "nothing" },
        target: "/api/contact $.ok",
      },
      {
        why: "a page for a script",
        responses,
        probes: of({ honeypotFilled: formResponse(200, page) }),
        evidence: { path: "$", got: "text/html" },
      },
      {
        why: "only where something is missing",
        responses,
        probes: of({ empty: formResponse(422, { invalid: { path: "$.error.code", got: "12" } }) }),
        message: "an incomplete message",
      },
    ],
    good: [
      { why: "as agreed", responses, probes: of({}) },
      {
        why: "a form that is no script’s",
        responses,
        probes: of({ takesJson: false, honeypotFilled: formResponse(200, page) }),
      },
      {
        why: "a server in between fails",
        responses,
        probes: of({ honeypotFilled: formResponse(502, page), empty: null }),
      },
      {
        why: "it leads on",
        responses,
        probes: of({ honeypotFilled: formResponse(303, { type: "", ok: null }), empty: null }),
      },
    ],
  },
};
