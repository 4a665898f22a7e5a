import type { SiteFixture } from "../fixture.ts";
import { answered, feed } from "../probe-sketch.ts";

const answers = {};
const of = (more: Parameters<typeof feed>[0]) => ({ feeds: [feed(more)] });

export const cases: SiteFixture = {
  "feed.broken": {
    bad: [
      {
        why: "gone",
        answers,
        probes: of({ answer: answered("/rss.xml", 404) }),
        evidence: { status: 404 },
      },
      {
        why: "no XML",
        answers,
        probes: of({ error: { line: 4, column: 9, message: "undefined entity." } }),
        target: "/rss.xml",
        evidence: { error: "undefined entity.", line: 4, column: 9 },
      },
      {
        why: "items that lead nowhere",
        answers,
        probes: of({
          broken: [
            { url: "https://example.com/a", status: 404 },
            { url: "https://example.com/b", status: 410 },
          ],
        }),
        finds: 2,
        evidence: { itemLinks: [{ url: "https://example.com/a", status: 404 }] },
      },
    ],
    good: [
      { why: "fine", answers, probes: of({}) },
      { why: "can’t be told", answers, probes: of({ answer: answered("/rss.xml", 429) }) },
      { why: "without items", answers, probes: of({ items: 0 }) },
      { why: "none", answers, probes: { feeds: [] } },
    ],
  },
};
