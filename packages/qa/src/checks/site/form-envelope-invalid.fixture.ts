import type { SiteFixture } from "../fixture.ts";
import { form, formAnswer } from "../probe-sketch.ts";

const answers = {};
const of = (more: Parameters<typeof form>[0]) => ({ forms: [form(more)] });
const page = { type: "text/html", ok: null } as const;

export const cases: SiteFixture = {
  "form.envelope-invalid": {
    bad: [
      {
        why: "another shape",
        answers,
        probes: of({
          trapped: formAnswer(200, { ok: null, invalid: { path: "$.ok", got: "nothing" } }),
        }),
        evidence: { path: "$.ok", got: "nothing" },
        target: "/api/contact $.ok",
      },
      {
        why: "a page for a script",
        answers,
        probes: of({ trapped: formAnswer(200, page) }),
        evidence: { path: "$", got: "text/html" },
      },
      {
        why: "only where something is missing",
        answers,
        probes: of({ empty: formAnswer(422, { invalid: { path: "$.error.code", got: "12" } }) }),
        says: "something is missing",
      },
    ],
    good: [
      { why: "as agreed", answers, probes: of({}) },
      {
        why: "a form that is no script’s",
        answers,
        probes: of({ takesJson: false, trapped: formAnswer(200, page) }),
      },
      {
        why: "a server in between fails",
        answers,
        probes: of({ trapped: formAnswer(502, page), empty: null }),
      },
      {
        why: "it leads on",
        answers,
        probes: of({ trapped: formAnswer(303, { type: "", ok: null }), empty: null }),
      },
    ],
  },
};
