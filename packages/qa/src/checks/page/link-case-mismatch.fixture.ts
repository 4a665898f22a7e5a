import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "link.case-mismatch": {
    bad: [
      {
        main: `<a href="/About/">About</a>`,
        safe: true,
        evidence: { href: "/About/", path: "/about/" },
      },
    ],
    good: [{ main: `<a href="/about/">About</a>` }, { main: `<a href="/Gone/">Gone</a>` }],
  },
};
