import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "seo.title-missing": {
    bad: [{ swap: [/<title>.*<\/title>/, "<title> </title>"] }],
    good: [{ swap: [/<title>.*<\/title>/, "<title>T</title>"] }],
  },
};
