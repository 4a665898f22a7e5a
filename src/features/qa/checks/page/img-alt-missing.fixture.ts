import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "img.alt-missing": {
    bad: [{ main: `<img src="/p.png" width="1" height="1">` }],
    good: [
      {
        main: `<img src="/p.png" alt="" width="1" height="1"><img src="/p.png" role="none" width="1" height="1"><span aria-hidden="true"><img src="/p.png" width="1" height="1"></span>`,
      },
    ],
  },
};
