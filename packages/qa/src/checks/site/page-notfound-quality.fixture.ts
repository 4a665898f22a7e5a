import type { SiteFixture } from "../fixture.ts";
import { responseFor, notFound } from "../probe-fixture.ts";

const responses = {};

export const cases: SiteFixture = {
  "page.notfound-quality": {
    bad: [
      {
        why: "a page for everything",
        responses,
        probes: { notFound: notFound({ response: responseFor("/nothing-x/", 200) }) },
        evidence: { status: 200, homeLink: true, noindex: true, bytes: 100 },
        page: "/",
        message: "instead of 404",
      },
      { why: "an empty page", responses, probes: { notFound: notFound({ words: 0 }) } },
      {
        why: "no way on",
        responses,
        probes: { notFound: notFound({ links: 0, homeLink: false }) },
        message: "link back",
      },
    ],
    good: [
      { why: "a helpful page", responses, probes: { notFound: notFound() } },
      {
        why: "a way on that is not the first page",
        responses,
        probes: { notFound: notFound({ homeLink: false, links: 1, isNoindex: false }) },
      },
      { why: "not tried", responses, probes: { notFound: null } },
      {
        why: "it leads elsewhere, which is another check’s",
        responses,
        probes: { notFound: notFound({ response: responseFor("/", 200), leadsTo: "/" }) },
      },
    ],
  },
};
