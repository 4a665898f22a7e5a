import type { SiteFixture } from "../fixture.ts";
import { sitemap } from "../probe-sketch.ts";

const answers = {};

export const cases: SiteFixture = {
  "sitemap.limits": {
    bad: [
      {
        answers,
        probes: { sitemaps: [sitemap({ count: 50_001 })] },
        evidence: { urls: 50_001, bytes: 1000 },
        says: "50,000 addresses",
      },
      { answers, probes: { sitemaps: [sitemap({ bytes: 50 * 1024 * 1024 + 1 })] }, says: "50 MB" },
    ],
    good: [
      {
        why: "just within",
        answers,
        probes: { sitemaps: [sitemap({ count: 50_000, bytes: 50 * 1024 * 1024 })] },
      },
      {
        why: "longer than is read, but within",
        answers,
        probes: { sitemaps: [sitemap({ cut: true, bytes: 20 * 1024 * 1024 })] },
      },
    ],
  },
};
