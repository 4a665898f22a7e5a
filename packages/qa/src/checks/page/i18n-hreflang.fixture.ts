import type { PageFixture } from "../fixture.ts";

const alternate = (code: string, href = "/about/") => ({
  head: `<link rel="alternate" hreflang="${code}" href="${href}">`,
});

export const cases: PageFixture = {
  "i18n.hreflang-invalid": {
    bad: [
      { ...alternate("en-UK"), evidence: { code: "en-UK" } },
      alternate("english"),
      alternate("zz"),
      { why: "the country alone", ...alternate("en_GB") },
    ],
    good: ["en", "en-GB", "zh-Hant-TW", "x-default", "es-419", "pt-br"].map((code) =>
      alternate(code),
    ),
  },
  "i18n.hreflang-broken": {
    bad: [{ ...alternate("sv", "/sv/"), evidence: { url: "/sv/", lang: "sv" } }],
    good: [
      alternate("sv"),
      alternate("sv", "https://other.example/sv/"),
      { why: "a feed", head: `<link rel="alternate" type="application/rss+xml" href="/gone.xml">` },
    ],
  },
};
