import type { PageFixture } from "../fixture.ts";

const words = (count: number) => `<p>${"word ".repeat(count)}</p>`;
const image = `<img src="/p.png" alt="A" width="1" height="1">`;

export const cases: PageFixture = {
  "seo.thin": {
    bad: [{ main: words(10), evidence: { words: 11 } }],
    good: [
      { main: words(30) },
      { why: "pictures to look at", main: words(5) + image.repeat(3) },
      { why: "a form", main: `<form action="/api/contact"><button>Send</button></form>` },
      { why: "not listed", main: words(5), head: `<meta name="robots" content="noindex">` },
      { why: "the page for missing ones", main: words(5), responses: { "/t/": { status: 404 } } },
    ],
  },
};
