import { expect, test } from "vitest";

import { isVideo, validateFile } from "./upload-rules.ts";

const limits = { imageMiB: 50, videoMiB: 500 };
const mib = 1024 * 1024;
const file = (name: string, type = "", size = 1000) => ({ name, type, size });

test.each([
  ["a.JPG", "image/jpeg"],
  ["a.heic", ""],
  ["a.avif", "image/avif"],
  ["a.mov", "video/quicktime"],
  ["a.avi", "video/x-msvideo"],
  ["a.WMV", ""],
  ["a.3gp", "video/3gpp"],
  ["a.mpg", "video/mpeg"],
  ["a.ogv", "video/ogg"],
  ["no-ending", ""],
  ["unknown.xyz", ""],
  ["a.png", "application/octet-stream"],
])("%s (%s) is left to the server", (name, type) => {
  expect(validateFile(file(name, type), limits)).toBeNull();
});

test.each([
  ["logo.svg", "image/svg+xml", /SVG.*PNG/],
  ["logo", "image/svg+xml", /SVG/],
  ["a.CR2", "", /raw file/],
  ["a.pdf", "application/pdf", /PDF/],
  ["a.txt", "text/plain", /isn’t an image or a video/],
])("%s (%s) is refused with a suggestion", (name, type, words) => {
  expect(validateFile(file(name, type), limits)).toMatch(words);
});

test("size limits depend on the kind, and empty files are refused", () => {
  expect(validateFile(file("a.jpg", "image/jpeg", 50 * mib), limits)).toBeNull();
  expect(validateFile(file("a.jpg", "image/jpeg", 50 * mib + 1), limits)).toMatch(
    /larger than the limit of 50 MB/,
  );
  expect(validateFile(file("a.mp4", "video/mp4", 500 * mib), limits)).toBeNull();
  expect(validateFile(file("a.mp4", "video/mp4", 500 * mib + 1), limits)).toMatch(/video.*500 MB/);
  expect(validateFile(file("a.jpg", "image/jpeg", 0), limits)).toMatch(/empty/);
});

test("a video is recognized by its extension or type", () => {
  expect(isVideo(file("a.MOV"))).toBe(true);
  expect(isVideo(file("clip", "video/mp4"))).toBe(true);
  expect(isVideo(file("a.jpg", "image/jpeg"))).toBe(false);
});
