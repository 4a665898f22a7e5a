import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "link.internal-broken": {
    bad: [{ main: `<a href="/gone/">Gone</a>` }],
    good: [
      {
        main: `<a href="/about">A</a><a href="../about/">B</a><a href="/admin">C</a><a href="https://example.com/about/">D</a><a href="https://other.example/x">E</a>`,
      },
    ],
  },
};
