import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "asset.broken": {
    bad: [
      { main: `<script src="/gone.js"></script>` },
      {
        why: "a script without an address",
        main: `<script src=""></script>`,
        severity: "error",
        message: "has an empty address",
      },
      { why: "a style sheet without an address", head: `<link rel="stylesheet" href=" ">` },
      {
        why: "a frame that a script may fill",
        main: `<iframe title="x" src=""></iframe><script>show.append(1)</script>`,
        severity: "notice",
      },
    ],
    good: [
      { main: `<iframe title="x" src="https://other.example/"></iframe>` },
      { why: "loaded late", main: `<iframe title="x" src="" data-src="/about/"></iframe>` },
    ],
  },
};
