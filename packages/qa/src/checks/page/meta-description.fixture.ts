import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "meta.description-missing": {
    bad: [{ swap: [/<meta name="description"[^>]*>/, ""] }],
    good: [{ swap: [/<meta name="description"[^>]*>/, `<meta name="Description" content="d">`] }],
  },
  "meta.description-duplicate": {
    bad: [{ swap: ["What is at /t/", "What is at /about/"] }],
    good: [{ swap: ["What is at /t/", ""] }],
  },
};
