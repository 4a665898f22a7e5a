import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "link.no-text": {
    bad: [
      { main: `<a href="/about/"><svg></svg></a>`, severity: "warning" },
      {
        why: "an element of its own kind may have words",
        main: `<a href="/about/"><my-icon name="me"></my-icon></a>`,
        severity: "notice",
      },
    ],
    good: [
      {
        main: `<a href="/about/"><svg><title>About</title></svg></a><a href="/" aria-label="Home"></a><a href="/" aria-hidden="true" tabindex="-1"></a>`,
      },
    ],
  },
};
