import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "img.not-image": {
    bad: [{ main: `<img src="/about/" alt="A" width="1" height="1">` }],
    good: [{ main: `<img src="/p.png" alt="A" width="1" height="1">` }],
  },
};
