import type { AnswerSketch, SiteFixture } from "../fixture.ts";

const long = "word ".repeat(1000);
const sheet = (path: string, more: object = {}): Record<string, AnswerSketch> => ({
  "/": `<link rel="stylesheet" href="${path}">`,
  [path]: { body: "a{}", type: "text/css", ...more },
});
const kept = (value: string) => ({ headers: { "cache-control": value } });

export const cases: SiteFixture = {
  "perf.no-compression": {
    bad: [
      { answers: { "/": long }, page: "/", evidence: { encoding: null, bytes: 5000, count: 1 } },
      {
        why: "of each kind one",
        answers: { "/": long, "/a/": long, "/a.css": { body: long, type: "text/css" } },
        finds: 2,
      },
    ],
    good: [
      { answers: { "/": { body: long, wireBytes: 900, headers: { "content-encoding": "br" } } } },
      { why: "short", answers: { "/": "Words" } },
      { why: "is packed already", answers: { "/a.png": { body: long, type: "image/png" } } },
      { why: "did not come now", answers: { "/": { body: long, notModified: true } } },
    ],
  },
  "perf.cache-short": {
    bad: [
      {
        why: "a name for good",
        answers: sheet("/_astro/a.B1c2D3e4.css", kept("max-age=60")),
        evidence: { count: 1, "cache-control": "max-age=60" },
      },
      { why: "never kept", answers: sheet("/a.css", kept("no-store")) },
      { why: "nothing told", answers: sheet("/a.css") },
    ],
    good: [
      { answers: sheet("/_astro/a.B1c2D3e4.css", kept("public, max-age=31536000, immutable")) },
      {
        why: "asked for anew",
        answers: sheet("/a.css", { headers: { "cache-control": "no-cache", etag: `"1"` } }),
      },
      { why: "pages are as they are", answers: { "/": { body: "x", ...kept("no-store") } } },
    ],
  },
  "perf.slow-ttfb": {
    bad: [
      {
        answers: { "/": { firstByteMs: 1500 }, "/a/": { firstByteMs: 900 } },
        evidence: { ms: 900, median: 1500 },
      },
    ],
    good: [
      { answers: { "/": { firstByteMs: 300 }, "/a/": { firstByteMs: 3000 } } },
      { why: "a first answer may be slow", answers: { "/": { firstByteMs: 3000 } } },
      { why: "no page", answers: { "/a.png": { type: "image/png", firstByteMs: 5000 } } },
    ],
  },
};
