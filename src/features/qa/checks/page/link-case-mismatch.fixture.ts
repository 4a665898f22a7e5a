import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "link.case-mismatch": {
    bad: [{ main: `<a href="/About/">About</a>` }],
    good: [{ main: `<a href="/about/">About</a>` }],
  },
};
