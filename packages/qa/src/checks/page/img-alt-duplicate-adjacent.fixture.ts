import type { PageFixture } from "../fixture.ts";

const image = (alt: string) => `<img src="/p.png" alt="${alt}" width="1" height="1">`;

export const cases: PageFixture = {
  "img.alt-duplicate-adjacent": {
    bad: [
      {
        main: `<a href="/about/">${image("About me")} About me</a>`,
        safe: true,
        evidence: { alt: "about me", caption: "About me" },
      },
      { main: `<figure>${image("A boat")}<figcaption>A boat</figcaption></figure>`, safe: false },
    ],
    good: [
      { main: `<a href="/about/">${image("")} About me</a>` },
      { main: `<figure>${image("A red boat at dusk")}<figcaption>A boat</figcaption></figure>` },
      { why: "only the picture is a link", main: `<a href="/about/">${image("About me")}</a>` },
      { why: "words elsewhere", main: `<p>A boat</p>${image("A boat")}` },
    ],
  },
};
