import type { PageFixture } from "../fixture.ts";

const image = (alt: string) => `<img src="/p.png" alt="${alt}" width="1" height="1">`;

export const cases: PageFixture = {
  "img.link-no-alt": {
    bad: [
      {
        main: `<a href="/about/">${image("")}</a>`,
        safe: true,
        evidence: { href: "/about/", src: "/p.png" },
      },
    ],
    good: [
      { main: `<a href="/about/">${image("")} About</a>` },
      { main: `<a href="/about/">${image("About me")}</a>` },
      { main: `<a href="/about/" aria-label="About">${image("")}</a>` },
    ],
  },
};
