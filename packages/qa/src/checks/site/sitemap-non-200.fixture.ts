import type { SiteFixture } from "../fixture.ts";
import { listed } from "../probe-fixture.ts";

const page = "<!doctype html><title>Page</title><h1>Page</h1>";
const probes = { entries: [listed("/a/"), listed("/a/")] };

export const cases: SiteFixture = {
  "sitemap.non-200": {
    bad: [
      {
        why: "gone",
        responses: { "/": page, "/a/": { status: 404 } },
        probes,
        target: "/a/",
        severity: "error",
        evidence: { loc: "https://example.com/a/", status: 404 },
      },
      {
        why: "moved",
        responses: { "/a/": { to: "/b/" }, "/b/": page },
        probes,
        severity: "warning",
        evidence: { status: 301 },
      },
    ],
    good: [
      { why: "there", responses: { "/a/": page }, probes },
      { why: "page.status-5xx tells", responses: { "/a/": { status: 500 } }, probes },
      { why: "not asked for", responses: { "/": page }, probes },
      { why: "can’t be told", responses: { "/a/": { status: 429 } }, probes },
      {
        why: "no answer is told as that",
        responses: { "/a/": { failure: { phase: "headers", code: "x", ms: 9 } } },
        probes,
      },
      {
        why: "others’ addresses",
        responses: { "https://other.example/": { status: 404 } },
        probes: { entries: [listed("https://other.example/")] },
      },
    ],
  },
};
