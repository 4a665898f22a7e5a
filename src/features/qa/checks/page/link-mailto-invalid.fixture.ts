import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "link.mailto-invalid": {
    bad: [{ main: `<a href="mailto:me at example.com">x y</a>` }],
    good: [{ main: `<a href="mailto:me@example.com?subject=Hi%20there">x y</a>` }],
  },
};
