import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "a11y.axe.role-img-alt": {
    bad: [{ main: `<svg role="img"></svg>` }],
    good: [{ main: `<svg role="img"><title>A map</title></svg><svg></svg>` }],
  },
};
