import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "img.srcset-broken": {
    bad: [
      { main: `<img src="/p.png" srcset="/p.png 1x, /gone.png 2x" alt="A" width="1" height="1">` },
    ],
    good: [{ main: `<img src="/p.png" srcset="/p.png 480w" alt="A" width="1" height="1">` }],
  },
};
