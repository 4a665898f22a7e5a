import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "a11y.axe.label": {
    bad: [{ main: `<input name="mail">` }],
    good: [
      {
        main: `<label for="m">Mail</label><input id="m"><label>Name <input></label><input type="hidden">`,
      },
    ],
  },
};
