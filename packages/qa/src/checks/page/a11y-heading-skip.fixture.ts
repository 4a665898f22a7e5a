import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "a11y.heading-skip": {
    bad: [{ main: "<h3>x</h3>" }],
    good: [{ main: "<h2>x</h2><h3>y</h3><h2>z</h2>" }],
  },
};
