import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "meta.og-image-broken": {
    bad: [{ main: "", head: `<meta property="og:image" content="https://example.com/gone.png">` }],
    good: [{ main: "", head: `<meta property="og:image" content="https://example.com/p.png">` }],
  },
};
