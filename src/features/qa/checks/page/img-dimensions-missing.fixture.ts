import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "img.dimensions-missing": {
    bad: [{ main: `<img src="/p.png" alt="A">` }],
    good: [{ main: `<img src="/p.png" alt="A" style="width:100%;aspect-ratio:3/2">` }],
  },
};
