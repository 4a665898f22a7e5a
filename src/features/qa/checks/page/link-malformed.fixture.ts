import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "link.malformed": {
    bad: [{ main: `<a href="https:/example.com">x y</a>` }],
    good: [{ main: `<a href="https://example.com:8080/a?b=c d">x y</a>` }],
  },
};
