import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "page.charset-missing": {
    bad: [{ swap: [`<meta charset="utf-8">`, ""] }],
    good: [
      {
        swap: [
          `<meta charset="utf-8">`,
          `<meta http-equiv="Content-Type" content="text/html; charset=utf-8">`,
        ],
      },
    ],
  },
};
