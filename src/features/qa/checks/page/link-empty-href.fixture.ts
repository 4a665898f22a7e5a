import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "link.empty-href": {
    bad: [{ main: `<a href="#">Nothing</a>` }],
    good: [{ main: `<a href="#" role="button">Open</a><a>Not a link</a>` }],
  },
};
