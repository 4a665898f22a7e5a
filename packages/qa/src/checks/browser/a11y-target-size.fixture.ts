import type { BrowserFixture } from "../fixture.ts";

const small = {
  selector: "footer > a:nth-of-type(1)",
  locator: "body footer a",
  shared: true,
  width: 40,
  height: 16,
  text: "Terms",
};

export const cases: BrowserFixture = {
  "a11y.target-size": {
    bad: [
      {
        visit: { smallTargets: [small, { ...small, text: "Privacy" }] },
        evidence: { w: 40, h: 16, selector: "footer > a:nth-of-type(1)" },
        message: "Terms",
      },
    ],
    good: [{ visit: {} }],
  },
};
