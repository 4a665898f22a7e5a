import type { PageFixture } from "../fixture.ts";

const image = (alt: string, more = "") =>
  `<img src="/p.png" alt="${alt}" width="1" height="1"${more}>`;

export const cases: PageFixture = {
  "img.alt-too-long": {
    bad: [{ main: image("A boat. ".repeat(40)), safe: true, evidence: { length: 319 } }],
    good: [
      { main: image("A boat. ".repeat(30)) },
      { why: "nobody hears it", main: image("A boat. ".repeat(40), ` aria-hidden="true"`) },
    ],
  },
};
