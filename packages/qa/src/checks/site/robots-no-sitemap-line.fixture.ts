import type { SiteFixture } from "../fixture.ts";
import { robots, sitemap } from "../probe-fixture.ts";

const responses = {};
const named = robots({ sitemaps: ["https://example.com/sitemap.xml"] });

export const cases: SiteFixture = {
  "robots.no-sitemap-line": {
    bad: [
      {
        responses,
        probes: { robots: robots(), sitemaps: [sitemap({ from: "usual" })] },
        message: "/sitemap.xml",
      },
    ],
    good: [
      { why: "named", responses, probes: { robots: named, sitemaps: [sitemap()] } },
      {
        why: "no sitemap",
        responses,
        probes: { robots: robots(), sitemaps: [sitemap({ kind: null })] },
      },
      {
        why: "no robots.txt, which is another check’s",
        responses,
        probes: { robots: robots({ text: null }), sitemaps: [sitemap({ from: "usual" })] },
      },
    ],
  },
};
