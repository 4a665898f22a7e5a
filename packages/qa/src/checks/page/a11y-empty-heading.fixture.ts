import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "a11y.axe.empty-heading": {
    bad: [{ main: "<h2><span hidden>x</span></h2>" }],
    good: [{ main: `<h2><img src="/p.png" alt="A" width="1" height="1"></h2>` }],
  },
};
