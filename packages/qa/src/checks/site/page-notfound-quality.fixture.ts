import type { SiteFixture } from "../fixture.ts";
import { answered, notFound } from "../probe-sketch.ts";

const answers = {};

export const cases: SiteFixture = {
  "page.notfound-quality": {
    bad: [
      {
        why: "a page for everything",
        answers,
        probes: { notFound: notFound({ answer: answered("/nothing-x/", 200) }) },
        evidence: { status: 200, homeLink: true, noindex: true, bytes: 100 },
        page: "/",
        says: "instead of 404",
      },
      { why: "an empty page", answers, probes: { notFound: notFound({ words: 0 }) } },
      {
        why: "no way on",
        answers,
        probes: { notFound: notFound({ links: 0, homeLink: false }) },
        says: "lead back",
      },
    ],
    good: [
      { why: "a helpful page", answers, probes: { notFound: notFound() } },
      {
        why: "a way on that is not the first page",
        answers,
        probes: { notFound: notFound({ homeLink: false, links: 1, unlisted: false }) },
      },
      { why: "not tried", answers, probes: { notFound: null } },
      {
        why: "it leads elsewhere, which is another check’s",
        answers,
        probes: { notFound: notFound({ answer: answered("/", 200), leadsTo: "/" }) },
      },
    ],
  },
};
