import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "link.dev-host": {
    bad: [{ main: `<a href="http://localhost:4321/x">x y</a>` }],
    good: [{ main: `<a href="https://localhost.example.com/">x y</a>` }],
  },
};
