import type { PageFixture } from "../fixture.ts";

const main = (src: string) => `<img src="${src}" alt="A" width="1" height="1">`;
const html = {
  headers: { "content-type": "image/png" },
  sniffed: "text/html",
  head: "<!doctype html>",
  bytes: 9,
};

export const cases: PageFixture = {
  "img.not-image": {
    bad: [
      {
        why: "behind a redirect",
        main: `<img src="/moved.png" alt="x">`,
        redirects: { "/moved.png": "/about/" },
      },
      { main: main("/about/"), evidence: { src: "/about/" } },
      {
        why: "says that it is one, and is a page",
        main: main("/x.png"),
        responses: { "/x.png": html },
        evidence: { type: "image/png", sniffed: "text/html" },
      },
    ],
    good: [
      { main: main("/p.png") },
      {
        why: "browsers look at the bytes",
        main: main("/x"),
        responses: {
          "/x": { ...html, sniffed: "image/jpeg", headers: { "content-type": "text/plain" } },
        },
      },
      { why: "told as empty", main: main("/empty.png") },
      { why: "told as broken", main: main("/gone.png") },
    ],
  },
};
