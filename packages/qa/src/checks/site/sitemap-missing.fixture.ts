import type { SiteFixture } from "../fixture.ts";
import { answered, robots, sitemap } from "../probe-sketch.ts";

const answers = {};
const usual = (path: string, status: number | null) =>
  sitemap({
    url: `https://example.com${path}`,
    from: "usual",
    kind: null,
    answer: answered(path, status),
  });

export const cases: SiteFixture = {
  "sitemap.missing": {
    bad: [
      {
        why: "none of the usual places",
        answers,
        probes: { robots: robots(), sitemaps: [usual("/sitemap.xml", 404), usual("/b.xml", 200)] },
        evidence: { tried: ["https://example.com/sitemap.xml", "https://example.com/b.xml"] },
        target: null,
      },
      {
        why: "robots.txt names one in vain",
        answers,
        probes: {
          robots: robots({ sitemaps: ["https://example.com/gone.xml"] }),
          sitemaps: [
            sitemap({
              url: "https://example.com/gone.xml",
              answer: answered("/gone.xml", 404),
              kind: null,
            }),
          ],
        },
        target: "/gone.xml",
      },
      {
        why: "an index names a part in vain",
        answers,
        probes: {
          robots: robots({ sitemaps: ["https://example.com/sitemap.xml"] }),
          sitemaps: [
            sitemap({ kind: "index" }),
            sitemap({
              url: "https://example.com/part.xml",
              from: { index: "https://example.com/sitemap.xml" },
              answer: answered("/part.xml", 404),
              kind: null,
            }),
          ],
        },
        target: "/part.xml",
      },
    ],
    good: [
      { why: "there", answers, probes: { robots: robots(), sitemaps: [sitemap()] } },
      {
        why: "one of the places gives no answer",
        answers,
        probes: { robots: robots(), sitemaps: [usual("/sitemap.xml", null), usual("/b.xml", 404)] },
      },
      {
        why: "the last of the places has it",
        answers,
        probes: {
          robots: robots(),
          sitemaps: [usual("/sitemap.xml", 404), sitemap({ from: "usual" })],
        },
      },
      {
        why: "it lies on another site",
        answers,
        probes: {
          robots: robots({ sitemaps: ["https://cdn.example/s.xml"] }),
          sitemaps: [usual("/sitemap.xml", 404)],
        },
      },
      {
        why: "one that can’t be read is there",
        answers,
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
