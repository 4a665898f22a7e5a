import type { SiteFixture } from "../fixture.ts";
import { robots } from "../probe-fixture.ts";

const page = (head = "") => `<!doctype html><title>Page</title>${head}<p>Boats`;
const responses = { "/": page(), "/work/": page(), "/private/": page() };
const urls = ["https://example.com/work/"];

/** Disallows these paths for robots. */
const forbids = (path: string) =>
  robots({
    isAllowed: (url) => !new URL(url).pathname.startsWith(path),
    lineFor: () => ({ line: 2, text: `Disallow: ${path}` }),
  });

export const cases: SiteFixture = {
  "seo.robots-blocks-page": {
    bad: [
      {
        responses,
        probes: { robots: forbids("/work/"), urls },
        page: "/work/",
        evidence: { rule: "Disallow: /work/", line: 2 },
      },
      {
        why: "everything, which is offered in part",
        responses,
        probes: { robots: forbids("/"), urls },
        count: 2,
      },
    ],
    good: [
      { responses, probes: { robots: robots(), urls } },
      {
        why: "on purpose: nothing offers it",
        responses,
        probes: { robots: forbids("/private/"), urls },
      },
      {
        why: "is not to be listed either",
        responses: { ...responses, "/work/": page(`<meta name="robots" content="noindex">`) },
        probes: { robots: forbids("/work/"), urls },
      },
      { why: "there is none", responses, probes: { robots: robots({ text: null }), urls } },
    ],
  },
};
