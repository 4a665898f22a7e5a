import type { SiteFixture } from "../fixture.ts";
import { form, formAnswer } from "../probe-sketch.ts";

const answers = {};
const of = (get: ReturnType<typeof formAnswer>) => ({ forms: [form({ get })] });

export const cases: SiteFixture = {
  "form.get-leaks": {
    bad: [
      { why: "data", answers, probes: of(formAnswer(200)), evidence: { status: 200 } },
      { why: "a table", answers, probes: of(formAnswer(200, { type: "text/csv", ok: null })) },
    ],
    good: [
      { why: "not allowed", answers, probes: of(formAnswer(405)) },
      { why: "nothing there", answers, probes: of(formAnswer(404)) },
      {
        why: "the page of the form itself",
        answers,
        probes: of(formAnswer(200, { type: "text/html", ok: null })),
      },
      { why: "a success that says no", answers, probes: of(formAnswer(200, { ok: false })) },
      { why: "nothing in it", answers, probes: of(formAnswer(204, { type: "", ok: null })) },
      { why: "no answer", answers, probes: of(formAnswer(null)) },
    ],
  },
};
