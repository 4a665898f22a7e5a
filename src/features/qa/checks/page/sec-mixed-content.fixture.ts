import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "sec.mixed-content": {
    bad: [{ main: `<script src="http://other.example/x.js"></script>` }],
    good: [{ main: `<a href="http://other.example/">x y</a>` }],
  },
};
