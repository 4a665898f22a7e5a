import type { SiteFixture } from "../fixture.ts";
import { responseFor, feed } from "../probe-fixture.ts";

const responses = {};
const of = (more: Parameters<typeof feed>[0]) => ({ feeds: [feed(more)] });

export const cases: SiteFixture = {
  "feed.broken": {
    bad: [
      {
        why: "gone",
        responses,
        probes: of({ response: responseFor("/rss.xml", 404) }),
        evidence: { status: 404 },
      },
      {
        why: "no XML",
        responses,
        probes: of({ error: { line: 4, column: 9, message: "undefined entity." } }),
        target: "/rss.xml",
        evidence: { error: "undefined entity.", line: 4, column: 9 },
      },
      {
        why: "items that lead nowhere",
        responses,
        probes: of({
          broken: [
            { url: "https://example.com/a", status: 404 },
            { url: "https://example.com/b", status: 410 },
          ],
        }),
        count: 2,
        evidence: { itemLinks: [{ url: "https://example.com/a", status: 404 }] },
      },
    ],
    good: [
      { why: "fine", responses, probes: of({}) },
      { why: "can’t be told", responses, probes: of({ response: responseFor("/rss.xml", 429) }) },
      { why: "without items", responses, probes: of({ items: 0 }) },
      { why: "none", responses, probes: { feeds: [] } },
    ],
  },
};
