import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "img.zero-bytes": {
    bad: [{ main: `<img src="/empty.png" alt="A" width="1" height="1">` }],
    good: [{ main: `<img src="/p.png" alt="A" width="1" height="1">` }],
  },
};
