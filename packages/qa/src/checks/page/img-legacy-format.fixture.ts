import type { PageFixture } from "../fixture.ts";

const files = { "large.png": "x".repeat(200 * 1024), "old.bmp": "x" };
const image = `<img src="/large.png" alt="A" width="1" height="1">`;

export const cases: PageFixture = {
  "img.legacy-format": {
    bad: [
      { main: image, files, evidence: { format: "png", bytes: 204_800 } },
      { main: `<img src="/old.bmp" alt="A" width="1" height="1">`, files },
    ],
    good: [
      { why: "small", main: `<img src="/p.png" alt="A" width="1" height="1">` },
      {
        why: "a better one is there",
        main: `<picture><source type="image/avif" srcset="/p.png">${image}</picture>`,
        files,
      },
      {
        why: "its sizes are better ones",
        main: `<img src="/large.png" srcset="/a-480.webp 480w" alt="A" width="1" height="1">`,
        files,
      },
      {
        why: "nothing beats it",
        main: `<img src="/d.svg" alt="A" width="1" height="1">`,
        files: { "d.svg": "x".repeat(300_000) },
      },
    ],
  },
};
