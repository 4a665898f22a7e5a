import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "link.no-text": {
    bad: [{ main: `<a href="/about/"><svg></svg></a>` }],
    good: [
      {
        main: `<a href="/about/"><svg><title>About</title></svg></a><a href="/" aria-label="Home"></a><a href="/" aria-hidden="true" tabindex="-1"></a>`,
      },
    ],
  },
};
