import { expect, test } from "vitest";

import { fileAddress, imageFor } from "./Thumbnail.tsx";

const image = {
  src: "/media/2026/abc-quay.webp",
  kind: "image" as const,
  poster: null,
  placeholder: null,
  width: 1600,
  height: 900,
  variants: [480, 800, 1200].map((width) => ({
    src: `/media/2026/abc-quay-${width}.webp`,
    width,
    bytes: 1,
  })),
};

test("a stored file is shown from the admin's address, anything else from its own", () => {
  expect(fileAddress("/media/2026/abc-quay.webp")).toBe("/api/media/file/2026/abc-quay.webp");
  for (const other of [
    "/media/x.png",
    "https://example.com/media/2026/a.png",
    "/img/media/2026/a.png",
  ]) {
    expect(fileAddress(other)).toBe(other);
  }
});

test("the smallest sufficient image is used, otherwise the original; for a video, its poster", () => {
  expect(imageFor(image, 300)).toContain("-480.webp");
  expect(imageFor(image, 801)).toContain("-1200.webp");
  expect(imageFor(image, 1300)).toBe(image.src);
  expect(imageFor({ ...image, kind: "video", poster: "/media/2026/p.jpg" }, 300)).toBe(
    "/media/2026/p.jpg",
  );
  expect(imageFor({ ...image, kind: "video", poster: null }, 300)).toBeNull();
});
