import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "link.tel-invalid": {
    bad: [{ main: `<a href="tel:call me">x y</a>` }],
    good: [{ main: `<a href="tel:+46 (0)31-123 45">x y</a>` }],
  },
};
