import type { PageFixture } from "../fixture.ts";

export const cases: PageFixture = {
  "link.generic-text": {
    bad: [
      { main: `<a href="/about/">Read more…</a>`, evidence: { text: "read more", count: 1 } },
      {
        main: `<p>For a map <a href="/about/">click here</a> or <a href="/">here</a>.</p>`,
        count: 2,
      },
      { main: `<p lang="sv"><a href="/about/">Läs mer</a></p>` },
      { main: `<a href="/about/">Start</a>` },
    ],
    good: [
      { main: `<a href="/about/">Read more about me</a>` },
      { why: "its label says it", main: `<a href="/about/" aria-label="More about me">More</a>` },
      {
        why: "hidden words say it",
        main: `<a href="/about/">More<span class="vh"> about me</span></a>`,
      },
      { why: "the first page", main: `<p lang="sv"><a href="/">Start</a></p>` },
      {
        why: "the heading that it leads to",
        main: `<a href="#more">Details</a><h2 id="more">Details</h2>`,
      },
      { why: "no link", main: `<a>more</a>` },
      { why: "it moves about the page", main: `<p>Here and there: more or less.</p>` },
    ],
  },
};
