import type { SiteFixture } from "../fixture.ts";
import { answered, notFound } from "../probe-sketch.ts";

const answers = {};
const led = (to: string, status = 200) => notFound({ answer: answered(to, status), leadsTo: to });

export const cases: SiteFixture = {
  "page.notfound-redirects-home": {
    bad: [
      { why: "to the start", answers, probes: { notFound: led("/") }, evidence: { location: "/" } },
      { why: "with a query", answers, probes: { notFound: led("/?from=x") } },
    ],
    good: [
      { why: "404", answers, probes: { notFound: notFound() } },
      { why: "a page of its own", answers, probes: { notFound: led("/404/", 404) } },
      { why: "another page", answers, probes: { notFound: led("/en/nothing-x/", 404) } },
      { why: "not tried", answers, probes: { notFound: null } },
    ],
  },
};
