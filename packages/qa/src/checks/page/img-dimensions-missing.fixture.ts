import type { PageFixture } from "../fixture.ts";

const styled = (css: string, main: string) => ({ head: `<style>${css}</style>`, main });
const picture = `<img src="/p.png" alt="A">`;
const framed = `<div class="frame">${picture}</div>`;

export const cases: PageFixture = {
  "img.dimensions-missing": {
    bad: [
      { main: picture },
      { why: "as wide as there is room", ...styled("img{max-width:100%;height:auto}", picture) },
      { why: "a width alone", ...styled("img{width:300px}", picture) },
      { why: "for others", ...styled(".hero img{height:20rem}", framed) },
      { why: "as tall as what is in it", ...styled(".frame{height:100%}", framed) },
      {
        why: "a style sheet that nobody can read here may",
        head: `<link rel="stylesheet" href="https://cdn.example/all.css">`,
        main: picture,
        severity: "notice",
        says: "unless a style sheet",
      },
      {
        why: "a style sheet that comes later may",
        head: `<link rel="preload" as="style" href="/site.css" onload="this.rel='stylesheet'">`,
        main: picture,
        severity: "notice",
      },
      {
        why: "letters from elsewhere keep no room",
        head: `<link rel="stylesheet" href="https://fonts.googleapis.com/css2?family=Inter&amp;display=swap">`,
        main: picture,
        severity: "warning",
      },
      {
        why: "nor where a style sheet brings them",
        ...styled(`@import url("https://fonts.googleapis.com/css2?family=Inter");`, picture),
        severity: "warning",
      },
    ],
    good: [
      { main: `<img src="/p.png" alt="A" style="width:100%;aspect-ratio:3/2">` },
      { main: `<img src="/p.png" alt="A" width="3" height="2">` },
      { why: "a height", ...styled(".frame img{height:20rem}", framed) },
      { why: "a shape", ...styled("img{width:100%;aspect-ratio:var(--shape)}", picture) },
      { why: "on some screens", ...styled("@media(min-width:50em){img{height:9em}}", picture) },
      {
        why: "its frame has the size",
        ...styled(".frame{aspect-ratio:1;overflow:hidden}", framed),
      },
      {
        why: "out of the flow",
        ...styled(".frame{position:relative}.frame img{position:absolute;inset:0}", framed),
      },
      { why: "in a window over the page", ...styled(".frame{position:fixed}", framed) },
      { why: "not shown as the page opens", ...styled(".frame{display:none}", framed) },
      { why: "in the page itself", main: `<img src="data:image/gif;base64,R0lGOD" alt="A">` },
    ],
  },
};
