import type { PageFixture } from "../fixture.ts";

const styled = (css: string, main: string) => ({ head: `<style>${css}</style>`, main });
const image = `<img src="/p.png" alt="A">`;
const framed = `<div class="frame">${image}</div>`;

export const cases: PageFixture = {
  "img.dimensions-missing": {
    bad: [
      { main: image },
      { why: "as wide as there is room", ...styled("img{max-width:100%;height:auto}", image) },
      { why: "a width alone", ...styled("img{width:300px}", image) },
      { why: "for others", ...styled(".hero img{height:20rem}", framed) },
      { why: "as tall as what is in it", ...styled(".frame{height:100%}", framed) },
      {
        why: "a style sheet that nobody can read here may",
        head: `<link rel="stylesheet" href="https://cdn.example/all.css">`,
        main: image,
        severity: "notice",
        message: "unless a style sheet",
      },
      {
        why: "a style sheet that comes later may",
        head: `<link rel="preload" as="style" href="/site.css" onload="this.rel='stylesheet'">`,
        main: image,
        severity: "notice",
      },
      {
        why: "letters from elsewhere keep no room",
        head: `<link rel="stylesheet" href="https://fonts.googleapis.com/css2?family=Inter&amp;display=swap">`,
        main: image,
        severity: "warning",
      },
      {
        why: "nor where a style sheet brings them",
        ...styled(`@import url("https://fonts.googleapis.com/css2?family=Inter");`, image),
        severity: "warning",
      },
    ],
    good: [
      { main: `<img src="/p.png" alt="A" style="width:100%;aspect-ratio:3/2">` },
      { main: `<img src="/p.png" alt="A" width="3" height="2">` },
      { why: "a height", ...styled(".frame img{height:20rem}", framed) },
      { why: "a shape", ...styled("img{width:100%;aspect-ratio:var(--shape)}", image) },
      { why: "on some screens", ...styled("@media(min-width:50em){img{height:9em}}", image) },
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
