import type { SiteFixture } from "../fixture.ts";

const page = (...alternates: [lang: string, href: string][]) =>
  `<!doctype html><title>Page</title>${alternates
    .map(([lang, href]) => `<link rel="alternate" hreflang="${lang}" href="${href}">`)
    .join("")}<p>Boats`;
const both: [string, string][] = [
  ["en", "/"],
  ["sv", "/sv/"],
];

export const cases: SiteFixture = {
  "i18n.hreflang-return": {
    bad: [
      {
        responses: { "/": page(...both), "/sv/": page() },
        page: "/",
        target: "/sv/",
        evidence: { lang: "sv" },
      },
      { why: "names only itself", responses: { "/": page(...both), "/sv/": page(["sv", "/sv/"]) } },
    ],
    good: [
      { responses: { "/": page(...both), "/sv/": page(...both) } },
      { why: "of others", responses: { "/": page(["sv", "https://other.example/sv/"]) } },
      { why: "isn’t there", responses: { "/": page(...both), "/sv/": { status: 404 } } },
    ],
  },
};
