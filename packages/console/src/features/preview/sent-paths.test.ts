import { expect, test } from "vitest";

import { makeSentPaths } from "./sent-paths.ts";

test("a page that the frame was sent to doesn't count as visited by the reader", () => {
  const paths = makeSentPaths();
  paths.send("/a/");
  expect(paths.arrive("/a/")).toBe(true);
  expect(paths.arrive("/b/")).toBe(false);
  expect(paths.arrive("/a/")).toBe(false);
});

test("nor does one that reports late, whether or not the frame was sent on", () => {
  const paths = makeSentPaths();
  paths.send("/a/");
  paths.send("/b/");
  expect([paths.arrive("/a/"), paths.arrive("/b/")]).toEqual([true, true]);
});

test("one that never reported can be visited once the next one is there", () => {
  const paths = makeSentPaths();
  paths.send("/a/");
  paths.send("/b/");
  paths.arrive("/b/");
  expect(paths.arrive("/a/")).toBe(false);
});

test("the frame can be sent back to where it was before the reader moved on", () => {
  const paths = makeSentPaths();
  paths.send("/a/");
  paths.arrive("/a/");
  paths.arrive("/b/");
  paths.send("/a/");
  expect(paths.arrive("/a/")).toBe(true);
});
