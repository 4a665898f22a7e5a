import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "a11y.axe.landmark-one-main": {
    bad: [{ swap: [/<main id="main">/, "<div>"] }],
    good: [{ main: "<main hidden>x</main>" }],
  },
};
