import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "link.fragment-missing": {
    bad: [{ main: `<a href="/about/#nowhere">x y</a>` }],
    good: [
      {
        main: `<a href="/about/#top-of-it">a</a><a href="#main">b</a><a href="#top">c</a><a href="/about/#:~:text=Me">d</a>`,
      },
    ],
  },
};
