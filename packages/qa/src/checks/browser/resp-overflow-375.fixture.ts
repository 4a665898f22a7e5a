import type { BrowserFixture } from "../fixture.ts";

const offender = {
  selector: "main > table",
  locator: "body main table",
  shared: false,
  right: 600,
  wide: true,
};
const narrow = {
  width: 375,
  scrollWidth: 600,
  clientWidth: 375,
  offenders: [offender],
  clipped: [],
  screenshot: "data:image/webp;base64,AA",
};

export const cases: BrowserFixture = {
  "resp.overflow-375": {
    bad: [
      {
        why: "a table beside what is told with 320 pixels",
        visit: {
          narrow: [
            { ...narrow, offenders: [offender, { ...offender, selector: "p", wide: false }] },
            { ...narrow, width: 320, offenders: [{ ...offender, selector: "p", wide: false }] },
          ],
        },
        evidence: { offender: "main > table" },
      },
      {
        why: "at this width alone",
        visit: { narrow: [{ ...narrow, offenders: [{ ...offender, wide: false }] }] },
      },
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
      {
        why: "told with 320 pixels",
        visit: {
          narrow: [
            { ...narrow, offenders: [{ ...offender, wide: false }] },
            { ...narrow, width: 320, offenders: [{ ...offender, wide: false }] },
          ],
        },
      },
      { why: "another width", visit: { narrow: [{ ...narrow, width: 320 }] } },
      { why: "nothing to be seen", visit: { narrow: [{ ...narrow, offenders: [] }] } },
    ],
  },
};
