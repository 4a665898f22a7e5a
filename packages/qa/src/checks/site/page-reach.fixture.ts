import type { SiteFixture } from "../fixture.ts";

const page = (to: string, head = "") =>
  `<!doctype html><title>Page</title>${head}<a href="${to}">Next</a>`;
const at = (path: string) => `https://example.com${path}`;

/** A chain of pages, each of which links to the next. */
const chain = (length: number) =>
  Object.fromEntries(
    Array.from({ length }, (_, index) => [
      index === 0 ? "/" : `/${index}/`,
      page(`/${index + 1}/`),
    ]),
  );

export const cases: SiteFixture = {
  "page.orphan": {
    bad: [
      {
        responses: { "/": page("/"), "/alone/": page("/") },
        probes: { urls: [at("/alone/")] },
        page: "/alone/",
        evidence: { inSitemap: true, links: 0 },
      },
      {
        why: "links to itself only",
        responses: { "/": page("/"), "/alone/": page("/alone/") },
        probes: { urls: [at("/alone/")] },
      },
    ],
    good: [
      { responses: { "/": page("/a/"), "/a/": page("/") }, probes: { urls: [at("/a/")] } },
      { why: "no sitemap lists it", responses: { "/": page("/"), "/alone/": page("/") } },
      {
        why: "is not listed",
        responses: { "/": page("/"), "/a/": page("/", `<meta name="robots" content="noindex">`) },
        probes: { urls: [at("/a/")] },
      },
      {
        why: "a copy",
        responses: { "/": page("/"), "/a/": page("/", `<link rel="canonical" href="/">`) },
        probes: { urls: [at("/a/")] },
      },
    ],
  },
  "page.depth": {
    bad: [{ responses: chain(8), page: "/7/", evidence: { depth: 7 } }],
    good: [{ responses: chain(7) }],
  },
};
