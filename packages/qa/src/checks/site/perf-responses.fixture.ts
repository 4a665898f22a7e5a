import type { ResponseFixture, SiteFixture } from "../fixture.ts";

const long = "word ".repeat(1000);
const sheet = (path: string, more: object = {}): Record<string, ResponseFixture> => ({
  "/": `<link rel="stylesheet" href="${path}">`,
  [path]: { body: "a{}", type: "text/css", ...more },
});
const kept = (value: string) => ({ headers: { "cache-control": value } });

export const cases: SiteFixture = {
  "perf.no-compression": {
    bad: [
      { responses: { "/": long }, page: "/", evidence: { encoding: null, bytes: 5000, count: 1 } },
      {
        why: "of each kind one",
        responses: { "/": long, "/a/": long, "/a.css": { body: long, type: "text/css" } },
        count: 2,
      },
    ],
    good: [
      { responses: { "/": { body: long, wireBytes: 900, headers: { "content-encoding": "br" } } } },
      { why: "short", responses: { "/": "Words" } },
      { why: "is packed already", responses: { "/a.png": { body: long, type: "image/png" } } },
      { why: "did not come now", responses: { "/": { body: long, notModified: true } } },
    ],
  },
  "perf.cache-short": {
    bad: [
      {
        why: "a name for good",
        responses: sheet("/_astro/a.B1c2D3e4.css", kept("max-age=60")),
        evidence: { count: 1, "cache-control": "max-age=60" },
      },
      { why: "never kept", responses: sheet("/a.css", kept("no-store")) },
      { why: "nothing told", responses: sheet("/a.css") },
    ],
    good: [
      { responses: sheet("/_astro/a.B1c2D3e4.css", kept("public, max-age=31536000, immutable")) },
      {
        why: "asked for anew",
        responses: sheet("/a.css", { headers: { "cache-control": "no-cache", etag: `"1"` } }),
      },
      { why: "pages are as they are", responses: { "/": { body: "x", ...kept("no-store") } } },
    ],
  },
  "perf.slow-ttfb": {
    bad: [
      {
        responses: { "/": { firstByteMs: 1500 }, "/a/": { firstByteMs: 900 } },
        evidence: { ms: 900, median: 1500 },
      },
    ],
    good: [
      { responses: { "/": { firstByteMs: 300 }, "/a/": { firstByteMs: 3000 } } },
      { why: "a first answer may be slow", responses: { "/": { firstByteMs: 3000 } } },
      { why: "no page", responses: { "/a.png": { type: "image/png", firstByteMs: 5000 } } },
    ],
  },
};
