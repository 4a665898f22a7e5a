import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "asset.broken": {
    bad: [{ main: `<script src="/gone.js"></script>` }],
    good: [{ main: `<iframe title="x" src="https://other.example/"></iframe>` }],
  },
};
