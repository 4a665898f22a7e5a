import type { PageFixture } from "../fixture.ts";

const image = `<img src="http://other.example/a.png" alt="A">`;
const policy = (text: string) => `<meta http-equiv="Content-Security-Policy" content="${text}">`;

export const cases: PageFixture = {
  "sec.mixed-content": {
    bad: [
      {
        main: `<script src="http://other.example/x.js"></script>`,
        evidence: { url: "http://other.example/x.js", type: "active" },
      },
      {
        why: "another size of a picture",
        main: `<img src="/p.png" srcset="/p.png 1x, http://other.example/a.png 2x" alt="A">`,
        target: "http://other.example/a.png",
        evidence: { type: "passive" },
      },
      {
        why: "a picture for some",
        main: `<picture><source srcset="http://other.example/a.webp"><img src="/p.png" alt="A"></picture>`,
      },
      { why: "an object", main: `<object data="http://other.example/a.pdf"></object>` },
      { why: "the picture of a film", main: `<video poster="http://other.example/a.png"></video>` },
      {
        why: "of a style sheet",
        head: `<link rel="stylesheet" href="/more.css">`,
        files: { "more.css": "main { background: url(http://other.example/a.png?x=1) }" },
        target: "http://other.example/a.png",
        evidence: { type: "passive" },
      },
      {
        why: "of a style element",
        head: `<style>@font-face { font-family: A; src: url("http://other.example/a.woff2") }</style>`,
        evidence: { type: "active" },
      },
      {
        why: "of a style attribute",
        main: `<p style="background-image: url(http://other.example/a.png)">x</p>`,
      },
      { why: "another policy", main: image, head: policy("img-src http:") },
    ],
    good: [
      { main: `<a href="http://other.example/">x y</a>` },
      {
        why: "browsers ask for it encrypted",
        main: image,
        head: policy("default-src *; upgrade-insecure-requests"),
      },
      {
        why: "the server says so",
        main: image,
        responses: {
          "/t/": { headers: { "content-security-policy": "upgrade-insecure-requests" } },
        },
      },
      { why: "of this machine", main: `<img src="http://localhost:3000/a.png" alt="A">` },
    ],
  },
};
