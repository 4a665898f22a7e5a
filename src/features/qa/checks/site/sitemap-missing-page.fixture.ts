import type { SiteFixture } from "../fixture.ts";
import { listed, robots } from "../probe-sketch.ts";

const page = (rest = "") => `<!doctype html><title>Page</title><h1>Page</h1>${rest}`;
const home = page(`<a href="/a/">A</a><a href="/a/?page=2">2</a>`);
const probes = {
  complete: true,
  robots: robots(),
  entries: [listed("/")],
  urls: ["https://example.com/"],
};
const canonical = `<link rel="canonical" href="/b/">`;

export const cases: SiteFixture = {
  "sitemap.missing-page": {
    bad: [
      {
        answers: { "/": home, "/a/": page(), "/a/?page=2": page() },
        probes,
        page: "/a/",
        evidence: { url: "https://example.com/a/" },
      },
    ],
    good: [
      {
        why: "listed without its slash",
        answers: { "/": home, "/a/": page() },
        probes: { ...probes, entries: [listed("/"), listed("/a")] },
      },
      {
        why: "listed where it was",
        answers: { "/": home, "/a/": page(), "/old/": { to: "/a/" } },
        probes: { ...probes, entries: [listed("/"), listed("/old/")] },
      },
      {
        why: "not to be listed",
        answers: { "/": home, "/a/": page(`<meta name="robots" content="noindex">`) },
        probes,
      },
      { why: "a page of another", answers: { "/": home, "/a/": page(canonical) }, probes },
      {
        why: "the list was not read to its end",
        answers: { "/": home, "/a/": page() },
        probes: { ...probes, complete: false },
      },
      {
        why: "no list of this site’s name",
        answers: { "/": home, "/a/": page() },
        probes: { ...probes, entries: [], urls: [] },
      },
      {
        why: "robots are to leave it alone",
        answers: { "/": home, "/a/": page() },
        probes: { ...probes, robots: robots({ isAllowed: (url) => !url.endsWith("/a/") }) },
      },
      {
        why: "a further part of a list",
        answers: { "/": `<a href="/blog/page/2/">2</a>`, "/blog/page/2/": page() },
        probes,
      },
      { why: "nothing leads there", answers: { "/": page(), "/a/": page() }, probes },
    ],
  },
};
