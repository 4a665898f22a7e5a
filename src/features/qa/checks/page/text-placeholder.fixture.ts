import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "text.placeholder": {
    bad: [{ main: "<p>Lorem ipsum dolor</p>" }],
    good: [{ main: "<p>My to do list: <code>TODO</code></p>" }],
  },
};
