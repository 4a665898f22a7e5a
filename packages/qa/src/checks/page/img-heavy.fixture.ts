import type { PageFixture } from "../fixture.ts";

const heavy = { "heavy.png": "x".repeat(600 * 1024), "light.png": "x".repeat(400 * 1024) };

export const cases: PageFixture = {
  "img.heavy": {
    bad: [
      {
        main: `<img src="/heavy.png" alt="A" width="1" height="1">`,
        files: heavy,
        evidence: { bytes: 614_400, format: "png", budget: 512_000 },
      },
      {
        why: "as one of its sizes, on a crawled site",
        main: `<img src="/p.png" srcset="/big.avif 2x" alt="A" width="1" height="1">`,
        responses: { "/big.avif": { bytes: 700_000, headers: { "content-type": "image/avif" } } },
      },
    ],
    good: [
      { main: `<img src="/light.png" alt="A" width="1" height="1">`, files: heavy },
      {
        why: "only who wants it loads it",
        main: `<a href="/heavy.png">Whole size</a>`,
        files: heavy,
      },
    ],
  },
};
