import type { BrowserFixture } from "../fixture.ts";

const image = {
  selector: "main > img",
  locator: "body main img",
  shared: false,
  url: "https://example.com/p.jpg",
  natural: { width: 4000, height: 3000 },
  rendered: { width: 400, height: 300 },
  top: 900,
  left: 0,
  lazy: true,
  vector: false,
  wireBytes: 900_000,
};

export const cases: BrowserFixture = {
  "img.oversized": {
    bad: [
      {
        visit: { images: [image] },
        target: "/p.jpg",
        evidence: {
          natural: { width: 4000, height: 3000 },
          rendered: { width: 400, height: 300 },
          wastedBytes: 864_000,
        },
      },
    ],
    good: [
      {
        why: "for dense screens",
        visit: { images: [{ ...image, rendered: { width: 2000, height: 1500 } }] },
      },
      { why: "weighs little", visit: { images: [{ ...image, wireBytes: 60_000 }] } },
      { why: "a drawing", visit: { images: [{ ...image, vector: true }] } },
      {
        why: "cut to a strip",
        visit: { images: [{ ...image, rendered: { width: 1600, height: 100 } }] },
      },
      {
        why: "somebody else's",
        visit: { images: [{ ...image, url: "https://cdn.example/p.jpg" }] },
      },
    ],
  },
};
