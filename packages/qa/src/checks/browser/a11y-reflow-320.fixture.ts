import type { BrowserFixture } from "../fixture.ts";

const offender = {
  selector: "main > div",
  locator: "body main div.wide",
  shared: false,
  right: 600,
  wide: false,
};
const narrow = {
  width: 320,
  scrollWidth: 600,
  clientWidth: 320,
  offenders: [offender],
  clipped: [],
  screenshot: null,
};

export const cases: BrowserFixture = {
  "a11y.reflow-320": {
    bad: [
      {
        visit: { narrow: [narrow] },
        evidence: { scrollWidth: 600, clientWidth: 320, offender: "main > div", screenshot: null },
      },
      {
        why: "on a telephone as well",
        visit: { narrow: [{ ...narrow, width: 375, clientWidth: 375 }, narrow] },
        message: "600 pixels wide on a 375-pixel phone, and 600 pixels wide at 320",
        evidence: { widths: [375, 320] },
      },
    ],
    good: [
      { why: "another width", visit: { narrow: [{ ...narrow, width: 375 }] } },
      {
        why: "a table",
        visit: { narrow: [{ ...narrow, offenders: [{ ...offender, wide: true }] }] },
      },
      { why: "nothing to be seen", visit: { narrow: [{ ...narrow, offenders: [] }] } },
    ],
  },
};
