import type { PageFixture } from "../fixture.ts";

const figure = (more: string, caption = "") =>
  `<figure><img src="/p.png" width="1" height="1"${more}>${caption}</figure>`;

export const cases: PageFixture = {
  "img.alt-empty-content": {
    bad: [
      { main: figure(` alt=""`), safe: true, evidence: { src: "/p.png" } },
      { main: figure(` alt=" "`, "<figcaption>A boat at dusk</figcaption>") },
      {
        why: "a paragraph of its own",
        main: `<p><img src="/p.png" width="1" height="1" alt=""></p>`,
      },
    ],
    good: [
      { main: figure(` alt="A boat"`) },
      { why: "beside a text", main: `<p><img src="/p.png" width="1" height="1" alt=""> Text</p>` },
      { why: "a decoration", main: `<div><img src="/p.png" width="1" height="1" alt=""></div>` },
      { why: "named otherwise", main: figure(` alt="" aria-label="A boat"`) },
      { why: "said to be decorative", main: figure(` alt="" role="presentation"`) },
      { why: "hidden", main: `<div aria-hidden="true">${figure(` alt=""`)}</div>` },
    ],
  },
};
