import type { SiteFixture } from "../fixture.ts";
import { sitemap } from "../probe-sketch.ts";

const answers = {};
const error = { line: 3, column: 14, message: "unmatched closing tag: url." };

export const cases: SiteFixture = {
  "sitemap.invalid-xml": {
    bad: [
      {
        answers,
        probes: { sitemaps: [sitemap({ error })] },
        target: "/sitemap.xml",
        evidence: { line: 3, column: 14, error: "unmatched closing tag: url." },
      },
    ],
    good: [
      { why: "well formed", answers, probes: { sitemaps: [sitemap()] } },
      { why: "none", answers, probes: { sitemaps: [] } },
      { why: "cut by its size", answers, probes: { sitemaps: [sitemap({ cut: true })] } },
    ],
  },
};
