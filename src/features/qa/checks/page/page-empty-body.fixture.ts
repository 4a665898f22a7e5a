import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "page.empty-body": {
    bad: [{ swap: [/<body>.*<\/body>/s, "<body><p hidden>x</p></body>"] }],
    good: [{ swap: [/<main.*<\/footer>/s, "<main><svg></svg></main>"] }],
  },
};
