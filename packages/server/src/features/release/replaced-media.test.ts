import { expect, it } from "vitest";
import type { Media } from "../media/store.ts";
import type { FormerAddress } from "../media/swap-store.ts";
import { followText } from "./replaced-media.ts";

const media = {
  src: "/media/2026/bbb-new.webp",
  width: 1000,
  height: 700,
  poster: null,
  variants: [{ src: "/media/2026/bbb-new-480.webp", width: 480, bytes: 1 }],
  avif: [],
} as unknown as Media;

const former = new Map<string, FormerAddress>(
  [
    { address: "/media/2026/aaa-old.jpg", width: 1600, height: 900, media },
    { address: "/media/2026/aaa-old-480.webp", width: 480, height: null, media },
    { address: "/media/2026/aaa-old-1200.webp", width: 1200, height: null, media },
  ].map((each) => [each.address, each]),
);

it("names the new file wherever a text names the old one, in the nearest size", () => {
  const text = "![Quay](/media/2026/aaa-old.jpg) [small](/media/2026/aaa-old-480.webp)";
  expect(followText("app/src/a.md", text, former)).toBe(
    "![Quay](/media/2026/bbb-new.webp) [small](/media/2026/bbb-new-480.webp)",
  );
  expect(followText("app/src/a.css", "url(/media/2026/aaa-old-1200.webp)", former)).toBe(
    "url(/media/2026/bbb-new.webp)",
  );
  const other = "/media/2026/aaa-old.jpg.bak /media/2025/aaa-old.jpg /media/2026/aaa-older.jpg";
  expect(followText("app/src/a.md", other.slice(28), former)).toBe(other.slice(28));
});

it("updates size and widths in content files, with their formatting", () => {
  const portrait = {
    src: "/media/2026/aaa-old.jpg",
    srcset: "/media/2026/aaa-old-480.webp 480w, /media/2026/aaa-old.jpg 1600w",
    alt: "Me",
    width: 1600,
    height: 900,
  };
  const text = `${JSON.stringify({ portrait, width: 5 }, null, 4)}\n`;
  const next = followText("app/src/content/about.json", text, former);
  expect(JSON.parse(next)).toEqual({
    portrait: {
      src: "/media/2026/bbb-new.webp",
      srcset: "/media/2026/bbb-new-480.webp 480w, /media/2026/bbb-new.webp 1000w",
      alt: "Me",
      width: 1000,
      height: 700,
    },
    width: 5,
  });
  expect(next).toContain('\n    "portrait"');
});

it("updates the size of a tag that had the old one", () => {
  const tag = '<img src="/media/2026/aaa-old.jpg" width="1600" height={900} alt="1600">';
  expect(followText("app/src/pages/a.astro", tag, former)).toBe(
    '<img src="/media/2026/bbb-new.webp" width="1000" height={700} alt="1600">',
  );
  const styled = '<img src="/media/2026/aaa-old.jpg" width="200" alt="">';
  expect(followText("app/src/pages/a.astro", styled, former)).toContain('width="200"');
});
