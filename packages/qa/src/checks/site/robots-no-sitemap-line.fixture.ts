import type { SiteFixture } from "../fixture.ts";
import { robots, sitemap } from "../probe-sketch.ts";

const answers = {};
const named = robots({ sitemaps: ["https://example.com/sitemap.xml"] });

export const cases: SiteFixture = {
  "robots.no-sitemap-line": {
    bad: [
      {
        answers,
        probes: { robots: robots(), sitemaps: [sitemap({ from: "usual" })] },
        says: "/sitemap.xml",
      },
    ],
    good: [
      { why: "named", answers, probes: { robots: named, sitemaps: [sitemap()] } },
      {
        why: "no sitemap",
        answers,
        probes: { robots: robots(), sitemaps: [sitemap({ kind: null })] },
      },
      {
        why: "no robots.txt, which is another check’s",
        answers,
        probes: { robots: robots({ text: null }), sitemaps: [sitemap({ from: "usual" })] },
      },
    ],
  },
};
