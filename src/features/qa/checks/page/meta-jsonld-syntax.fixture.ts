import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "meta.jsonld-syntax": {
    bad: [{ main: "", head: `<script type="application/ld+json">{"a":}</script>` }],
    good: [{ main: "", head: `<script type="application/ld+json">{"a":1}</script>` }],
  },
};
