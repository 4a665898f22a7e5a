import { expect, test } from "vitest";

import { fileAddress, pictureFor } from "./Thumbnail.tsx";

const picture = {
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

test("a stored file is seen at the admin's address, anything else where it is", () => {
  expect(fileAddress("/media/2026/abc-quay.webp")).toBe("/api/media/file/2026/abc-quay.webp");
  for (const other of [
    "/media/x.png",
    "https://example.com/media/2026/a.png",
    "/img/media/2026/a.png",
  ]) {
    expect(fileAddress(other)).toBe(other);
  }
});

test("the smallest picture that is wide enough is taken, else the whole one; of a film its poster", () => {
  expect(pictureFor(picture, 300)).toContain("-480.webp");
  expect(pictureFor(picture, 801)).toContain("-1200.webp");
  expect(pictureFor(picture, 1300)).toBe(picture.src);
  expect(pictureFor({ ...picture, kind: "video", poster: "/media/2026/p.jpg" }, 300)).toBe(
    "/media/2026/p.jpg",
  );
  expect(pictureFor({ ...picture, kind: "video", poster: null }, 300)).toBeNull();
});
