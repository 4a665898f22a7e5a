import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "page.duplicate-id": {
    bad: [{ main: `<p id="a">One</p><p id="a">Two</p>` }],
    good: [{ main: `<p id="a">One</p><template><p id="a">Two</p></template>` }],
  },
};
