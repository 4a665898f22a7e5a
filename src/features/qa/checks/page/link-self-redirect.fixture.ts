import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "link.self-redirect": {
    bad: [{ main: `<a href="/old/">Old</a>` }],
    good: [{ main: `<a href="/about/">New</a>` }],
  },
};
