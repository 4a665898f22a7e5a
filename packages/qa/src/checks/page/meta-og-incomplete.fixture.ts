import type { PageFixture } from "../fixture.ts";

const og = (...names: string[]) =>
  names.map((name) => `<meta property="og:${name}" content="https://example.com/p.png">`).join("");

export const cases: PageFixture = {
  "meta.og-incomplete": {
    bad: [
      { head: og("title", "type"), evidence: { missing: ["og:image", "og:url"] } },
      {
        why: "one is there without content",
        head: `${og("title", "image", "type")}<meta property="og:url" content="">`,
        message: "og:url",
      },
      {
        why: "the only one is there without content",
        head: `<meta property="og:image" content="">`,
        message: "lacks og:image.",
      },
      { why: "the start page has none", at: "/", main: "" },
    ],
    good: [
      { head: og("title", "image", "type", "url") },
      { why: "under its other name", head: og("title", "image:url") },
      { why: "another page has none", main: "" },
      { why: "is not listed", head: `${og("title")}<meta name="robots" content="noindex">` },
    ],
  },
};
