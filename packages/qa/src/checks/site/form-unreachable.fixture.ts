import type { SiteFixture } from "../fixture.ts";
import { form, formResponse } from "../probe-fixture.ts";

const responses = {};
const of = (more: Parameters<typeof form>[0]) => ({ forms: [form(more)] });
const page = { type: "text/html", ok: null } as const;

export const cases: SiteFixture = {
  "form.unreachable": {
    bad: [
      {
        why: "nothing there",
        responses,
        probes: of({ honeypotFilled: formResponse(404), plain: null, empty: null }),
        page: "/contact/",
        target: "/api/contact",
        evidence: { action: "/api/contact", method: "POST", status: 404 },
      },
      { why: "takes no forms", responses, probes: of({ honeypotFilled: formResponse(405) }) },
      { why: "fails", responses, probes: of({ honeypotFilled: formResponse(500) }) },
      {
        why: "no answer",
        responses,
        probes: of({ honeypotFilled: formResponse(null) }),
        message: "doesn’t respond",
      },
      {
        why: "raw data for whoever has no script",
        responses,
        probes: of({ plain: formResponse(200) }),
        severity: "warning",
      },
      { why: "not for whoever has no script", responses, probes: of({ plain: formResponse(415) }) },
    ],
    good: [
      { why: "works", responses, probes: of({}) },
      {
        why: "a page for whoever has no script",
        responses,
        probes: of({ plain: formResponse(200, page) }),
      },
      {
        why: "asked too often",
        responses,
        probes: of({ honeypotFilled: formResponse(429), plain: null }),
      },
      {
        why: "only without JSON",
        responses,
        probes: of({
          takesJson: false,
          honeypotFilled: formResponse(303, page),
          plain: null,
          empty: null,
        }),
      },
      {
        why: "asked too often without script",
        responses,
        probes: of({ plain: formResponse(429) }),
      },
      { why: "no form", responses, probes: { forms: [] } },
    ],
  },
};
