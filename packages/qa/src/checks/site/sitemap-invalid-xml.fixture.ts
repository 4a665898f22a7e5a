import type { SiteFixture } from "../fixture.ts";
import { sitemap } from "../probe-fixture.ts";

const responses = {};
const error = { line: 3, column: 14, message: "unmatched closing tag: url." };

export const cases: SiteFixture = {
  "sitemap.invalid-xml": {
    bad: [
      {
        responses,
        probes: { sitemaps: [sitemap({ error })] },
        target: "/sitemap.xml",
        evidence: { line: 3, column: 14, error: "unmatched closing tag: url." },
      },
    ],
    good: [
      { why: "well formed", responses, probes: { sitemaps: [sitemap()] } },
      { why: "none", responses, probes: { sitemaps: [] } },
      { why: "cut by its size", responses, probes: { sitemaps: [sitemap({ cut: true })] } },
    ],
  },
};
