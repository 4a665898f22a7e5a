import type { BrowserFixture } from "../fixture.ts";

const clipped = {
  selector: "main > p",
  locator: "body main p.card",
  shared: false,
  scrollHeight: 120,
  clientHeight: 60,
  text: "Long words",
};
const narrow = {
  width: 375,
  scrollWidth: 375,
  clientWidth: 375,
  offenders: [],
  clipped: [clipped],
  screenshot: null,
};

export const cases: BrowserFixture = {
  "resp.text-clipped": {
    bad: [
      {
        why: "the same at both widths is one",
        visit: { narrow: [narrow, { ...narrow, width: 320 }] },
        evidence: { selector: "main > p", scrollHeight: 120, clientHeight: 60, width: 375 },
      },
    ],
    good: [{ visit: { narrow: [{ ...narrow, clipped: [] }] } }],
  },
};
