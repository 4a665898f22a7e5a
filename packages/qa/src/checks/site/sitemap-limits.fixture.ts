import type { SiteFixture } from "../fixture.ts";
import { sitemap } from "../probe-fixture.ts";

const responses = {};

export const cases: SiteFixture = {
  "sitemap.limits": {
    bad: [
      {
        responses,
        probes: { sitemaps: [sitemap({ count: 50_001 })] },
        evidence: { urls: 50_001, bytes: 1000 },
        message: "50,000 addresses",
      },
      {
        responses,
        probes: { sitemaps: [sitemap({ bytes: 50 * 1024 * 1024 + 1 })] },
        message: "50 MB",
      },
    ],
    good: [
      {
        why: "just within",
        responses,
        probes: { sitemaps: [sitemap({ count: 50_000, bytes: 50 * 1024 * 1024 })] },
      },
      {
        why: "longer than is read, but within",
        responses,
        probes: { sitemaps: [sitemap({ cut: true, bytes: 20 * 1024 * 1024 })] },
      },
    ],
  },
};
