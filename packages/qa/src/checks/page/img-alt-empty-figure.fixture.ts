import type { PageFixture } from "../fixture.ts";

const figure = (more: string, caption = "") =>
  `<figure><img src="/p.png" width="1" height="1"${more}>${caption}</figure>`;

export const cases: PageFixture = {
  "img.alt-empty-figure": {
    bad: [
      { main: figure(` alt=""`), safe: false, evidence: { src: "/p.png" } },
      { main: figure(` alt=" "`, "<figcaption>A boat at dusk</figcaption>") },
    ],
    good: [
      { main: figure(` alt="A boat"`) },
      { why: "a decoration", main: `<p><img src="/p.png" width="1" height="1" alt=""></p>` },
      { why: "named otherwise", main: figure(` alt="" aria-label="A boat"`) },
      { why: "hidden", main: `<div aria-hidden="true">${figure(` alt=""`)}</div>` },
    ],
  },
};
