import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "a11y.axe.frame-title": {
    bad: [{ main: `<iframe src="https://other.example/"></iframe>` }],
    good: [{ main: `<iframe src="https://other.example/" title="A map"></iframe>` }],
  },
};
