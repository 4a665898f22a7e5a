import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "a11y.axe.button-name": {
    bad: [{ main: "<button><svg></svg></button>" }],
    good: [{ main: `<button aria-label="Close"><svg></svg></button><input type="submit">` }],
  },
};
