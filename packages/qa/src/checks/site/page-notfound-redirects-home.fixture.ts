import type { SiteFixture } from "../fixture.ts";
import { responseFor, notFound } from "../probe-fixture.ts";

const responses = {};
const led = (to: string, status = 200) =>
  notFound({ response: responseFor(to, status), leadsTo: to });

export const cases: SiteFixture = {
  "page.notfound-redirects-home": {
    bad: [
      {
        why: "to the start",
        responses,
        probes: { notFound: led("/") },
        evidence: { location: "/" },
      },
      { why: "with a query", responses, probes: { notFound: led("/?from=x") } },
    ],
    good: [
      { why: "404", responses, probes: { notFound: notFound() } },
      { why: "a page of its own", responses, probes: { notFound: led("/404/", 404) } },
      { why: "another page", responses, probes: { notFound: led("/en/nothing-x/", 404) } },
      { why: "not tried", responses, probes: { notFound: null } },
    ],
  },
};
