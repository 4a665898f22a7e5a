import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "link.http-on-https": {
    bad: [{ main: `<a href="http://example.com/about/">x y</a>` }],
    good: [{ main: `<a href="http://other.example/">x y</a>` }],
  },
};
