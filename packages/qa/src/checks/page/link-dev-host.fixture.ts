import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "link.dev-host": {
    bad: [
      { main: `<a href="http://localhost:4321/x">x y</a>`, severity: "error" },
      {
        why: "told to those who build",
        main: `<p>Open <a href="http://localhost:4321/">http://localhost:4321</a>.</p>`,
        severity: "notice",
      },
    ],
    good: [{ main: `<a href="https://localhost.example.com/">x y</a>` }],
  },
};
