import { expect, test } from "vitest";
import { makeTestDatabase } from "../../../../../test/support/database.ts";
import { findMediaByCopy, insertMedia, type NewMedia } from "./store.ts";

const width480 = { width: 480, bytes: 2 };

function image(src: string, copies: string[]): NewMedia {
  return {
    kind: "image",
    src,
    originalName: "quay.png",
    mime: "image/jpeg",
    bytes: 4,
    originalBytes: 4,
    width: 1600,
    height: 900,
    duration: null,
    hasAlpha: false,
    animated: false,
    poster: null,
    placeholder: null,
    variants: copies.map((copy) => ({ src: copy, ...width480 })),
    sha256: src.padEnd(64, "0").slice(0, 64),
    alt: "",
    createdAt: "2026-11-28T10:00:00.000Z",
  };
}

test("a stored image is found by a smaller copy of it, and by no other address", async () => {
  await using made = await makeTestDatabase();
  const { db } = made.database;
  const [jpg, webp] = ["/media/2026/aaa-quay.jpg", "/media/2026/bbb-quay-2.webp"];
  await insertMedia(db, image(jpg, ["/media/2026/aaa-quay-480.webp"]));
  await insertMedia(db, image(webp, ["/media/2026/bbb-quay-2-480.webp"]));
  const found = await findMediaByCopy(db, [
    "/media/2026/aaa-quay-480.webp",
    "/media/2026/bbb-quay-2-480.webp",
    "/media/2026/aaa-quay-800.webp",
    "/media/2026/bbb-quay-2.webp",
    "/images/portrait-480.webp",
    jpg,
  ]);
  expect([...found].map(([copy, { src }]) => [copy, src])).toEqual([
    ["/media/2026/aaa-quay-480.webp", jpg],
    ["/media/2026/bbb-quay-2-480.webp", webp],
  ]);
});
