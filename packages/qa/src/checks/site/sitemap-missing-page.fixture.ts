import type { SiteFixture } from "../fixture.ts";
import { listed, robots } from "../probe-fixture.ts";

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
        responses: { "/": home, "/a/": page(), "/a/?page=2": page() },
        probes,
        page: "/a/",
        evidence: { url: "https://example.com/a/" },
      },
      {
        why: "a page that is called so",
        responses: { "/": `<title>Home</title><a href="/p51">Lamp</a>`, "/p51": page() },
        probes,
        page: "/p51",
      },
    ],
    good: [
      {
        why: "listed without its slash",
        responses: { "/": home, "/a/": page() },
        probes: { ...probes, entries: [listed("/"), listed("/a")] },
      },
      {
        why: "listed where it was",
        responses: { "/": home, "/a/": page(), "/old/": { to: "/a/" } },
        probes: { ...probes, entries: [listed("/"), listed("/old/")] },
      },
      {
        why: "not to be listed",
        responses: { "/": home, "/a/": page(`<meta name="robots" content="noindex">`) },
        probes,
      },
      { why: "a page of another", responses: { "/": home, "/a/": page(canonical) }, probes },
      {
        why: "the list was not read to its end",
        responses: { "/": home, "/a/": page() },
        probes: { ...probes, complete: false },
      },
      {
        why: "no list of this site’s name",
        responses: { "/": home, "/a/": page() },
        probes: { ...probes, entries: [], urls: [] },
      },
      {
        why: "robots are to leave it alone",
        responses: { "/": home, "/a/": page() },
        probes: { ...probes, robots: robots({ isAllowed: (url) => !url.endsWith("/a/") }) },
      },
      {
        why: "a further part of a list",
        responses: { "/": `<a href="/blog/page/2/">2</a>`, "/blog/page/2/": page() },
        probes,
      },
      {
        why: "a further part of a list with its title",
        responses: {
          "/": `<title>Home</title><a href="/work/">1</a><a href="/work/p/2">2</a>`,
          "/work/": page(),
          "/work/p/2": page(),
        },
        probes: { ...probes, entries: [listed("/"), listed("/work/")] },
      },
      { why: "nothing leads there", responses: { "/": page(), "/a/": page() }, probes },
    ],
  },
};
