import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "meta.viewport": {
    bad: [{ swap: ["width=device-width", "width=device-width, user-scalable=no"] }],
    good: [{ swap: ["width=device-width", "width=device-width, maximum-scale=5"] }],
  },
};
