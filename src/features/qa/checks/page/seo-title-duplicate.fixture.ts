import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "seo.title-duplicate": {
    bad: [{ swap: [/<title>.*<\/title>/, "<title>Page /about/</title>"] }],
    good: [{ swap: [/<title>.*<\/title>/, "<title>page /about/</title>"] }],
  },
};
