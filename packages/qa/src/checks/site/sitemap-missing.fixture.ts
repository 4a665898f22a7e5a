import type { SiteFixture } from "../fixture.ts";
import { responseFor, robots, sitemap } from "../probe-fixture.ts";

const responses = {};
const defaults = (path: string, status: number | null) =>
  sitemap({
    url: `https://example.com${path}`,
    from: "usual",
    kind: null,
    response: responseFor(path, status),
  });

export const cases: SiteFixture = {
  "sitemap.missing": {
    bad: [
      {
        why: "none of the usual places",
        responses,
        probes: {
          robots: robots(),
          sitemaps: [defaults("/sitemap.xml", 404), defaults("/b.xml", 200)],
        },
        evidence: { tried: ["https://example.com/sitemap.xml", "https://example.com/b.xml"] },
        target: null,
      },
      {
        why: "robots.txt names one in vain",
        responses,
        probes: {
          robots: robots({ sitemaps: ["https://example.com/gone.xml"] }),
          sitemaps: [
            sitemap({
              url: "https://example.com/gone.xml",
              response: responseFor("/gone.xml", 404),
              kind: null,
            }),
          ],
        },
        target: "/gone.xml",
      },
      {
        why: "an index names a part in vain",
        responses,
        probes: {
          robots: robots({ sitemaps: ["https://example.com/sitemap.xml"] }),
          sitemaps: [
            sitemap({ kind: "index" }),
            sitemap({
              url: "https://example.com/part.xml",
              from: { index: "https://example.com/sitemap.xml" },
              response: responseFor("/part.xml", 404),
              kind: null,
            }),
          ],
        },
        target: "/part.xml",
      },
    ],
    good: [
      { why: "there", responses, probes: { robots: robots(), sitemaps: [sitemap()] } },
      {
        why: "one of the places doesn't respond",
        responses,
        probes: {
          robots: robots(),
          sitemaps: [defaults("/sitemap.xml", null), defaults("/b.xml", 404)],
        },
      },
      {
        why: "the last of the places has it",
        responses,
        probes: {
          robots: robots(),
          sitemaps: [defaults("/sitemap.xml", 404), sitemap({ from: "usual" })],
        },
      },
      {
        why: "it lies on another site",
        responses,
        probes: {
          robots: robots({ sitemaps: ["https://cdn.example/s.xml"] }),
          sitemaps: [defaults("/sitemap.xml", 404)],
        },
      },
      {
        why: "one that can’t be read is there",
        responses,
        probes: {
          robots: robots(),
          sitemaps: [
            sitemap({ from: "usual", kind: null, error: { line: 1, column: 1, message: "x" } }),
          ],
        },
      },
    ],
  },
};
