import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "page.duplicate-id": {
    bad: [
      { main: `<p id="a">One</p><p id="a">Two</p>`, severity: "warning" },
      {
        why: "the same drawing twice",
        main: `<svg><g id="a"></g></svg><svg><g id="a"></g></svg>`,
        severity: "notice",
      },
    ],
    good: [{ main: `<p id="a">One</p><template><p id="a">Two</p></template>` }],
  },
};
