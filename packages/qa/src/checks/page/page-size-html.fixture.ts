import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "page.size-html": {
    bad: [{ main: `<p>${"word ".repeat(110000)}</p>` }],
    good: [{ main: `<p>${"word ".repeat(10000)}</p>` }],
  },
};
