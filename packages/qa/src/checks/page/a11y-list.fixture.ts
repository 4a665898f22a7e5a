import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "a11y.axe.list": {
    bad: [{ main: "<ul><div>x</div></ul>" }],
    good: [{ main: `<ul><li>x</li></ul><ul role="presentation"><div>x</div></ul>` }],
  },
  "a11y.axe.listitem": {
    bad: [{ main: "<div><li>x</li></div>" }],
    good: [{ main: "<ol><li>x</li></ol>" }],
  },
};
