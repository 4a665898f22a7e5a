import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "img.broken": {
    bad: [{ main: `<img src="/gone.png" alt="A" width="1" height="1">` }],
    good: [
      { main: `<img src="../p.png" alt="A" width="1" height="1">` },
      {
        why: "for finer screens",
        main: `<img src="p@2x.png" alt="A" width="1" height="1">`,
        files: { "t/p@2x.png": "png" },
      },
      {
        why: "browsers escape white space",
        main: `<img src="my p.png" alt="A" width="1" height="1">`,
        files: { "t/my p.png": "png" },
      },
    ],
  },
};
