import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "link.http-on-https": {
    bad: [
      {
        main: `<a href="http://example.com/about/">x y</a>`,
        safe: true,
        evidence: { candidate: "https://example.com/about/" },
      },
      { why: "nothing is there", main: `<a href="http://example.com/gone/">x y</a>`, safe: false },
    ],
    good: [
      { main: `<a href="http://other.example/">x y</a>` },
      { main: `<a href="https://example.com/about/">x y</a>` },
    ],
  },
};
