import type { SiteFixture } from "../fixture.ts";
import { listed } from "../probe-sketch.ts";

const page = (head: string) => `<!doctype html><title>Page</title>${head}<h1>Page</h1>`;
const probes = { entries: [listed("/a/")] };
const canonical = (href: string) => page(`<link rel="canonical" href="${href}">`);

export const cases: SiteFixture = {
  "sitemap.noindex-or-canonicalised": {
    bad: [
      {
        why: "left out",
        answers: { "/a/": page(`<meta name="robots" content="noindex">`) },
        probes,
        page: "/a/",
        evidence: { loc: "https://example.com/a/", reason: "asks to be left out" },
      },
      { why: "another’s", answers: { "/a/": canonical("/b/") }, probes, says: "names /b/" },
    ],
    good: [
      { why: "its own", answers: { "/a/": canonical("https://example.com/a/") }, probes },
      { why: "none", answers: { "/a/": page("") }, probes },
      {
        why: "under another name",
        answers: { "/a/": canonical("https://www.example.net/a/") },
        probes,
      },
      { why: "not listed", answers: { "/b/": canonical("/a/") }, probes },
    ],
  },
};
