import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "link.malformed": {
    bad: [
      {
        main: `<a href="https:/example.com">x y</a>`,
        safe: false,
        evidence: { href: "https:/example.com" },
      },
      { main: `<a href="www.example.org">x y</a>`, safe: false },
      {
        why: "without its space a page of the site",
        main: `<a href="/abo ut/">x y</a>`,
        safe: true,
        evidence: { candidate: "/about/" },
      },
      {
        why: "space, and nothing there without it",
        main: `<a href="/no where/">x y</a>`,
        safe: false,
      },
    ],
    good: [
      { main: `<a href="https://example.com:8080/a?b=c d">x y</a>` },
      {
        why: "browsers escape white space",
        main: `<a href="/files/My CV.pdf">x y</a><a href="https://other.example/a b">x y</a>`,
        files: { "files/My CV.pdf": "%PDF-1.4" },
      },
      { why: "space around it is left out by browsers", main: `<a href=" /about/ ">x y</a>` },
    ],
  },
};
