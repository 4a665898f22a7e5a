import type { BrowserFixture } from "../fixture.ts";

const image = {
  selector: "main > img",
  locator: "body main img",
  shared: false,
  url: "https://example.com/p.jpg",
  natural: { width: 800, height: 600 },
  shown: { width: 800, height: 600 },
  top: 120,
  left: 0,
  lazy: true,
  vector: false,
  wireBytes: 90_000,
};

export const cases: BrowserFixture = {
  "img.lazy-above-fold": {
    bad: [{ visit: { images: [image] }, target: "/p.jpg", evidence: { src: "/p.jpg", y: 120 } }],
    good: [
      { visit: { images: [{ ...image, lazy: false }] } },
      { why: "below", visit: { images: [{ ...image, top: 850 }] } },
      { why: "another slide", visit: { images: [{ ...image, left: 1440 }] } },
      { why: "an icon", visit: { images: [{ ...image, shown: { width: 32, height: 32 } }] } },
    ],
  },
};
