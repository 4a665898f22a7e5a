import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "link.text-fragment-miss": {
    bad: [
      {
        main: `<a href="/about/#:~:text=never%20said">x y</a>`,
        evidence: { directive: "text=never%20said" },
      },
      { why: "its end is not there", main: `<a href="/about/#:~:text=About,nowhere">x y</a>` },
      {
        why: "where it is led on to",
        main: `<a href="/old/#:~:text=never%20said">x y</a>`,
        target: "/about/#:~:text=never%20said",
      },
    ],
    good: [
      { main: `<a href="/about/#:~:text=about">x y</a>` },
      { why: "around it", main: `<a href="/about/#:~:text=About-,Me">x y</a>` },
      {
        why: "over elements",
        main: `<p>So <em>very</em> good</p><a href="/t/#:~:text=so%20very%20good">x y</a>`,
      },
      {
        why: "accents don’t count",
        main: `<p>Café au lait</p><a href="#:~:text=cafe%20au">x y</a>`,
      },
      { why: "of others", main: `<a href="https://other.example/#:~:text=nothing">x y</a>` },
    ],
  },
};
