import type { SiteFixture } from "../fixture.ts";
import { robots } from "../probe-sketch.ts";

const page = (head = "") => `<!doctype html><title>Page</title>${head}<p>Boats`;
const answers = { "/": page(), "/work/": page(), "/private/": page() };
const urls = ["https://example.com/work/"];

/** Keeps robots from these paths. */
const forbids = (path: string) =>
  robots({
    isAllowed: (url) => !new URL(url).pathname.startsWith(path),
    lineFor: () => ({ line: 2, text: `Disallow: ${path}` }),
  });

export const cases: SiteFixture = {
  "seo.robots-blocks-page": {
    bad: [
      {
        answers,
        probes: { robots: forbids("/work/"), urls },
        page: "/work/",
        evidence: { rule: "Disallow: /work/", line: 2 },
      },
      {
        why: "everything, which is offered in part",
        answers,
        probes: { robots: forbids("/"), urls },
        finds: 2,
      },
    ],
    good: [
      { answers, probes: { robots: robots(), urls } },
      {
        why: "on purpose: nothing offers it",
        answers,
        probes: { robots: forbids("/private/"), urls },
      },
      {
        why: "is not to be listed either",
        answers: { ...answers, "/work/": page(`<meta name="robots" content="noindex">`) },
        probes: { robots: forbids("/work/"), urls },
      },
      { why: "there is none", answers, probes: { robots: robots({ text: null }), urls } },
    ],
  },
};
