import type { PageFixture } from "../fixture.ts";

const link = (words: string, more = "") => ({ main: `<a href="#"${more}>${words}</a>` });

export const cases: PageFixture = {
  "link.empty-href": {
    bad: [
      { main: `<a href="">Nothing</a>`, severity: "warning" },
      { ...link("Read more"), severity: "notice", says: "unless a script" },
      {
        why: "a script may listen to it",
        ...link("Cookies", ` class="cookie-settings"`),
        severity: "notice",
      },
      { main: `<a href="javascript:void(0)">Open</a>`, severity: "notice" },
      { why: "topics are no top", ...link("Topics"), severity: "notice" },
    ],
    good: [
      { main: `<a href="#" role="button">Open</a><a>Not a link</a>` },
      { why: "the way to this page", main: `<ol><li><a href="">Page /t/</a></li></ol>` },
      { why: "the top of the page", ...link("Back to top") },
      { why: "in another language", ...link("Nach oben") },
      { why: "the heading of the page", main: `<h2><a href="#">Module prelude</a></h2>` },
      { why: "as an arrow", ...link("↑") },
      { why: "by its label", ...link("<svg></svg>", ` aria-label="To the top"`) },
      { why: "by its class", ...link("<i></i>", ` class="scroll-top"`) },
      { why: "a handler", ...link("Open", ` onclick="open()"`) },
      { why: "a library’s handler", ...link("Open", ` data-bs-toggle="dropdown"`) },
    ],
  },
};
