import type { SiteFixture } from "../fixture.ts";
import { listed } from "../probe-fixture.ts";

const page = (head: string) => `<!doctype html><title>Page</title>${head}<h1>Page</h1>`;
const probes = { entries: [listed("/a/")] };
const canonical = (href: string) => page(`<link rel="canonical" href="${href}">`);

export const cases: SiteFixture = {
  "sitemap.noindex-or-canonicalised": {
    bad: [
      {
        why: "left out",
        responses: { "/a/": page(`<meta name="robots" content="noindex">`) },
        probes,
        page: "/a/",
        evidence: { loc: "https://example.com/a/", reason: "asks not to be indexed" },
      },
      { why: "another’s", responses: { "/a/": canonical("/b/") }, probes, message: "names /b/" },
    ],
    good: [
      { why: "its own", responses: { "/a/": canonical("https://example.com/a/") }, probes },
      { why: "none", responses: { "/a/": page("") }, probes },
      {
        why: "under another name",
        responses: { "/a/": canonical("https://www.example.net/a/") },
        probes,
      },
      { why: "not listed", responses: { "/b/": canonical("/a/") }, probes },
    ],
  },
};
