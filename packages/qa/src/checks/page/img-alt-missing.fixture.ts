import type { PageFixture } from "../fixture.ts";

const image = (more: string) => `<img src="/p.png" width="1" height="1"${more}>`;

export const cases: PageFixture = {
  "img.alt-missing": {
    bad: [
      {
        main: `<p>A boat at dusk ${image("")}</p>`,
        safe: true,
        evidence: { src: "/p.png", context: "A boat at dusk" },
      },
      { main: image(` title=""`) },
    ],
    good: [
      {
        main: `${image(` alt=""`)}${image(` role="none"`)}<span aria-hidden="true">${image("")}</span>`,
      },
      { why: "named otherwise", main: image(` aria-label="A boat"`) },
      { why: "its link is named", main: `<a href="/about/" aria-label="About">${image("")}</a>` },
    ],
  },
};
