import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "img.link-no-alt": {
    bad: [{ main: `<a href="/about/"><img src="/p.png" alt="" width="1" height="1"></a>` }],
    good: [{ main: `<a href="/about/"><img src="/p.png" alt="" width="1" height="1"> About</a>` }],
  },
};
