import type { SiteFixture } from "../fixture.ts";
import { form, formAnswer } from "../probe-sketch.ts";

const answers = {};
const of = (more: Parameters<typeof form>[0]) => ({ forms: [form(more)] });
const page = { type: "text/html", ok: null } as const;

export const cases: SiteFixture = {
  "form.unreachable": {
    bad: [
      {
        why: "nothing there",
        answers,
        probes: of({ trapped: formAnswer(404), plain: null, empty: null }),
        page: "/contact/",
        target: "/api/contact",
        evidence: { action: "/api/contact", method: "POST", status: 404 },
      },
      { why: "takes no forms", answers, probes: of({ trapped: formAnswer(405) }) },
      { why: "fails", answers, probes: of({ trapped: formAnswer(500) }) },
      { why: "no answer", answers, probes: of({ trapped: formAnswer(null) }), says: "no answer" },
      {
        why: "raw data for whoever has no script",
        answers,
        probes: of({ plain: formAnswer(200) }),
        severity: "warning",
      },
      { why: "not for whoever has no script", answers, probes: of({ plain: formAnswer(415) }) },
    ],
    good: [
      { why: "works", answers, probes: of({}) },
      {
        why: "a page for whoever has no script",
        answers,
        probes: of({ plain: formAnswer(200, page) }),
      },
      { why: "asked too often", answers, probes: of({ trapped: formAnswer(429), plain: null }) },
      {
        why: "only without JSON",
        answers,
        probes: of({ takesJson: false, trapped: formAnswer(303, page), plain: null, empty: null }),
      },
      { why: "asked too often without script", answers, probes: of({ plain: formAnswer(429) }) },
      { why: "no form", answers, probes: { forms: [] } },
    ],
  },
};
