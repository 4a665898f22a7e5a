import type { PageFixture } from "../fixture.ts";

const link = (words: string, more = "") => ({ main: `<a href="#"${more}>${words}</a>` });

export const cases: PageFixture = {
  "link.empty-href": {
    bad: [
      { main: `<a href="">Nothing</a>`, severity: "warning" },
      {
        why: "a library may handle it",
        main: `<nav x-menu><ul><li><a href="">Parent <span x-icon></span></a></li></ul></nav>`,
        severity: "notice",
        message: "unless a script",
      },
      { ...link("Read more"), severity: "notice", message: "unless a script" },
      {
        why: "a script may listen to it",
        ...link("Cookies", ` class="cookie-settings"`),
        severity: "notice",
      },
      { main: `<a href="javascript:void(0)">Open</a>`, severity: "notice" },
      { why: "topics are no top", ...link("Topics"), severity: "notice" },
      { why: "a list of the best", ...link("Top ten films"), severity: "notice" },
      { why: "a list in order", ...link("Price ▲"), severity: "notice" },
      { why: "a class of other things", ...link("Films", ` class="top-nav"`), severity: "notice" },
      {
        why: "a heading of a part of the page",
        main: `<h3><a href="#">Project One</a></h3>`,
        severity: "notice",
      },
      {
        why: "one of several main headings",
        main: `<h1><a href="#">Project One</a></h1>`,
        severity: "notice",
      },
      {
        why: "a word of the title",
        swap: [
          /<title>.*<h1>Work<\/h1>/s,
          `<title>Selected work – Ada</title></head><body><a href="">Work</a>`,
        ],
        severity: "warning",
      },
      {
        why: "a word of the title, on the way to the page",
        main: `<ol class="breadcrumbs"><li><a href="">Page</a></li></ol>`,
      },
      { why: "the title, on no way", main: `<p><a href="">Page /t/</a></p>` },
    ],
    good: [
      { main: `<a href="#" role="button">Open</a><a>Not a link</a>` },
      {
        why: "the way to this page",
        main: `<ol class="breadcrumbs"><li><a href="">Page /t/</a></li></ol>`,
      },
      { why: "the top of the page", ...link("Back to top") },
      { why: "in another language", ...link("Nach oben") },
      { why: "the heading of the page", swap: [/<h1>.*<\/h1>/, `<h1><a href="#">Ada</a></h1>`] },
      { why: "its title as a heading", main: `<h2><a href="#">Page /t/</a></h2>` },
      { why: "the heading once more", main: `<h2><a href="#">Title</a></h2>` },
      { why: "alone", ...link("Top") },
      { why: "with an arrow", ...link("Back to the top ↑") },
      { why: "in one word", ...link("Up ↑") },
      { why: "in Swedish", ...link("Till toppen") },
      { why: "in French", ...link("Retour en haut de page") },
      { why: "by its class of several words", ...link("<i></i>", ` class="btn backToTop"`) },
      { why: "as an arrow", ...link("↑") },
      { why: "by its label", ...link("<svg></svg>", ` aria-label="To the top"`) },
      { why: "by its class", ...link("<i></i>", ` class="scroll-top"`) },
      { why: "a handler", ...link("Open", ` onclick="open()"`) },
      { why: "a library’s handler", ...link("Open", ` data-bs-toggle="dropdown"`) },
    ],
  },
};
