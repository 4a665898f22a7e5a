import type { BrowserFixture } from "../fixture.ts";

const narrow = {
  width: 375,
  scrollWidth: 600,
  clientWidth: 375,
  offenders: [
    {
      selector: "main > table",
      locator: "body main table",
      shared: false,
      right: 600,
      wide: true,
    },
  ],
  clipped: [],
  screenshot: "data:image/webp;base64,AA",
};

export const cases: BrowserFixture = {
  "resp.overflow-375": {
    bad: [
      {
        visit: { narrow: [narrow] },
        evidence: {
          scrollWidth: 600,
          clientWidth: 375,
          offender: "main > table",
          screenshot: "data:image/webp;base64,AA",
        },
      },
    ],
    good: [
      { why: "another width", visit: { narrow: [{ ...narrow, width: 320 }] } },
      { why: "nothing to be seen", visit: { narrow: [{ ...narrow, offenders: [] }] } },
    ],
  },
};
