import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "img.alt-filename": {
    bad: [{ main: `<img src="/p.png" alt="IMG_2041.jpg" width="1" height="1">` }],
    good: [{ main: `<img src="/p.png" alt="The harbour at 4.30" width="1" height="1">` }],
  },
};
