import type { PageFixture } from "../fixture.ts";

const other = "https://other.example/";

export const cases: PageFixture = {
  "link.target-blank-opener": {
    bad: [
      {
        main: `<a href="${other}" target="_blank" rel="opener">x y</a>`,
        evidence: { href: other, rel: "opener" },
      },
      { why: "a window with a name", main: `<a href="${other}" target="shop">x y</a>` },
    ],
    good: [
      { why: "browsers see to it", main: `<a href="${other}" target="_blank">x y</a>` },
      { main: `<a href="${other}" target="shop" rel="noopener">x y</a>` },
      { why: "its own page", main: `<a href="/about/" target="_blank" rel="opener">x y</a>` },
      {
        why: "a frame of this page",
        main: `<iframe name="map" title="Map" src="${other}"></iframe><a href="${other}" target="map">x y</a>`,
      },
    ],
  },
};
