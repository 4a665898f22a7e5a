import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "seo.h1-missing": {
    bad: [{ swap: [/<h1>.*<\/h1>/, ""] }],
    good: [{ swap: [/<h1>.*<\/h1>/, `<div role="heading" aria-level="1">T</div>`] }],
  },
  "seo.h1-multiple": { bad: [{ main: "<h1>Another</h1>" }], good: [{ main: "<h1 hidden>x</h1>" }] },
};
