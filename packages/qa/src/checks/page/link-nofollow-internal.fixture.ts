import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "link.nofollow-internal": {
    bad: [
      {
        main: `<a href="/about/" rel="nofollow">About</a>`,
        evidence: { href: "/about/", rel: "nofollow" },
      },
    ],
    good: [
      { main: `<a href="/about/" rel="me">About</a>` },
      { why: "of others", main: `<a href="https://other.example/" rel="nofollow">Ad</a>` },
      { why: "is not to be listed", main: `<a href="/admin" rel="nofollow">Sign in</a>` },
      {
        why: "one of many filters",
        main: `<a href="/about/?sort=old" rel="nofollow">Old ones</a>`,
      },
    ],
  },
};
