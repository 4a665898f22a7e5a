import type { SiteFixture } from "../fixture.ts";

const home = `<!doctype html><title>Home</title><a href="/a/">A</a><a href="/a">B</a>`;
const page = (head = "") => `<!doctype html><title>A</title>${head}<p>A`;
const canonical = page(`<link rel="canonical" href="https://example.com/a/">`);

export const cases: SiteFixture = {
  "link.trailing-slash-inconsistent": {
    bad: [
      {
        why: "the page says which",
        responses: { "/": home, "/a/": canonical, "/a": canonical },
        target: "/a",
        safe: true,
        evidence: { variants: ["/a/", "/a"], counts: [1, 1], candidate: "/a/" },
      },
      { responses: { "/": home, "/a/": page(), "/a": page() }, safe: false },
    ],
    good: [
      {
        why: "one leads to the other",
        responses: { "/": home, "/a/": page(), "/a": { to: "/a/" } },
      },
      {
        why: "linked one way",
        responses: { "/": `<a href="/a/">A</a>`, "/a/": page(), "/a": page() },
      },
      { why: "one isn’t there", responses: { "/": home, "/a/": page(), "/a": { status: 404 } } },
    ],
  },
};
