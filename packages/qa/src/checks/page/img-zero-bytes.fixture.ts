import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "img.zero-bytes": {
    bad: [
      { main: `<img src="/empty.png" alt="A" width="1" height="1">` },
      {
        why: "behind a redirect",
        main: `<img src="/moved.png" alt="x">`,
        redirects: { "/moved.png": "/empty.png" },
        target: "/empty.png",
      },
    ],
    good: [{ main: `<img src="/p.png" alt="A" width="1" height="1">` }],
  },
};
