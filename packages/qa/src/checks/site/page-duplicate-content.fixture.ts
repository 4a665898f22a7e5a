import type { SiteFixture } from "../fixture.ts";

const words = "Boats and harbours, drawn from life. ".repeat(10);
const page = (text: string, head = "") =>
  `<!doctype html><title>Page</title>${head}<main><p>${text}</p></main>`;

export const cases: SiteFixture = {
  "page.duplicate-content": {
    bad: [
      {
        responses: { "/": page("Home"), "/a/": page(words), "/b/": page(words) },
        page: "/a/",
        target: "/b/",
        evidence: { urls: ["https://example.com/a/", "https://example.com/b/"] },
      },
    ],
    good: [
      {
        why: "it says which one counts",
        responses: {
          "/a/": page(words),
          "/a/?from=b": page(words, `<link rel="canonical" href="https://example.com/a/">`),
        },
      },
      {
        why: "is not listed",
        responses: {
          "/a/": page(words),
          "/b/": page(words, `<meta name="robots" content="noindex">`),
        },
      },
      { why: "few words", responses: { "/a/": page("Soon."), "/b/": page("Soon.") } },
      {
        why: "alike, not the same",
        responses: { "/a/": page(words), "/b/": page(`${words} And more.`) },
      },
    ],
  },
};
