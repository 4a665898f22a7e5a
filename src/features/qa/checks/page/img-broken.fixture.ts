import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "img.broken": {
    bad: [{ main: `<img src="/gone.png" alt="A" width="1" height="1">` }],
    good: [{ main: `<img src="../p.png" alt="A" width="1" height="1">` }],
  },
};
