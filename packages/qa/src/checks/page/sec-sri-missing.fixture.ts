import type { PageFixture } from "../fixture.ts";

const script = (src: string, more = "") => ({ head: `<script src="${src}"${more}></script>` });
const library = "https://cdn.example/npm/three@0.160.0/build/three.js";

export const cases: PageFixture = {
  "sec.sri-missing": {
    bad: [
      { ...script(library), evidence: { src: library } },
      {
        head: `<link rel="stylesheet" href="https://cdn.example/ajax/libs/normalize/8.0.1/normalize.css">`,
      },
    ],
    good: [
      script(library, ` integrity="sha384-abc" crossorigin="anonymous"`),
      { why: "changes whenever they like", ...script("https://tags.example/gtag.js?id=1") },
      { why: "its own", ...script("/lib/three@0.160.0.js"), files: { "lib/three@0.160.0.js": "" } },
      {
        why: "a style sheet made for each browser",
        head: `<link rel="stylesheet" href="https://fonts.example/css2?family=A">`,
      },
    ],
  },
};
