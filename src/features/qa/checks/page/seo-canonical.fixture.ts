import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "seo.canonical-missing": {
    bad: [{ swap: [/<link rel="canonical"[^>]*>/, ""] }],
    good: [{ swap: [/<link rel="canonical"[^>]*>/, `<meta name="robots" content="noindex">`] }],
  },
  "seo.canonical-broken": {
    bad: [{ swap: ["https://example.com/t/", "https://example.com/gone/"] }],
    good: [{ swap: ["https://example.com/t/", "/t/"] }],
  },
  "seo.canonical-mismatch": {
    bad: [{ swap: ["https://example.com/t/", "https://example.com/about/"] }],
    good: [{ swap: ["https://example.com/t/", "https://example.com/t/?"] }],
  },
};
