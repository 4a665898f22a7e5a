import type { BrowserFixture } from "../fixture.ts";

const image = {
  selector: "main > img",
  locator: "body main img",
  shared: false,
  url: "https://example.com/p.jpg",
  natural: { width: 800, height: 600 },
  rendered: { width: 800, height: 600 },
  top: 120,
  left: 0,
  lazy: true,
  vector: false,
  wireBytes: 90_000,
};

export const cases: BrowserFixture = {
  "img.lazy-above-fold": {
    bad: [
      { visit: { images: [image] }, target: "/p.jpg", evidence: { src: "/p.jpg", y: 120 } },
      {
        why: "a row of which all wait: the first is told",
        visit: { images: [image, { ...image, url: "https://example.com/q.jpg", left: 720 }] },
        target: "/p.jpg",
      },
      {
        why: "what comes at once is smaller",
        visit: {
          images: [{ ...image, lazy: false, rendered: { width: 200, height: 200 } }, image],
        },
      },
      {
        why: "what comes at once is cut off by the fold",
        visit: { images: [image, { ...image, lazy: false, top: 590 }] },
      },
    ],
    good: [
      { visit: { images: [{ ...image, lazy: false }] } },
      {
        why: "the second of a row",
        visit: {
          images: [
            { ...image, lazy: false, rendered: { width: 640, height: 400 } },
            { ...image, left: 720, rendered: { width: 641, height: 401 } },
          ],
        },
      },
      { why: "below", visit: { images: [{ ...image, top: 850 }] } },
      { why: "another slide", visit: { images: [{ ...image, left: 1440 }] } },
      { why: "an icon", visit: { images: [{ ...image, rendered: { width: 32, height: 32 } }] } },
    ],
  },
};
