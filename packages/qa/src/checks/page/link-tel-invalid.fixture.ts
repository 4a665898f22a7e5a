import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "link.tel-invalid": {
    bad: [{ main: `<a href="tel:call me">x y</a>` }, { main: `<a href="tel:">x y</a>` }],
    good: [
      { main: `<a href="tel:+46 (0)31-123 45">x y</a>` },
      { why: "with a slash", main: `<a href="tel:+49 911 / 1234">x y</a>` },
      { why: "escaped", main: `<a href="tel:%2B46%2031%20123">x y</a>` },
      { why: "with an extension", main: `<a href="tel:+1-555-0199,,12">x y</a>` },
    ],
  },
};
