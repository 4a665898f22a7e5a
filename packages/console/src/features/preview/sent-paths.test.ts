import { expect, test } from "vitest";

import { makeSentPaths } from "./sent-paths.ts";

test("a page that the frame was sent to is none that the reader has gone to", () => {
  const paths = makeSentPaths();
  paths.send("/a/");
  expect(paths.arrive("/a/")).toBe(true);
  expect(paths.arrive("/b/")).toBe(false);
  expect(paths.arrive("/a/")).toBe(false);
});

test("one that tells of itself late is none either, be the frame sent on or not", () => {
  const paths = makeSentPaths();
  paths.send("/a/");
  paths.send("/b/");
  expect([paths.arrive("/a/"), paths.arrive("/b/")]).toEqual([true, true]);
});

test("one that never told of itself can be gone to once the next is there", () => {
  const paths = makeSentPaths();
  paths.send("/a/");
  paths.send("/b/");
  paths.arrive("/b/");
  expect(paths.arrive("/a/")).toBe(false);
});

test("the frame can be sent back to where it was before the reader went on", () => {
  const paths = makeSentPaths();
  paths.send("/a/");
  paths.arrive("/a/");
  paths.arrive("/b/");
  paths.send("/a/");
  expect(paths.arrive("/a/")).toBe(true);
});
