import { expect, test } from "vitest";
import { makeResolver } from "./addresses.ts";

const origin = "http://own.test";

test.each([
  ["/a/b-c.html#part_1", "/a/b-c.html", "/a/b-c.html#part_1"],
  ["/a#", "/a", "/a#"],
  ["/a/../b", "/b", "/b"],
  ["/a/./b/..", "/a/", "/a/"],
  ["/.well-known/x", "/.well-known/x", "/.well-known/x"],
  ["/ä?b=c#d e", "/%C3%A4?b=c", "/%C3%A4?b=c#d%20e"],
  ["b", "/x/b", "/x/b"],
])("%s is resolved as in browsers", (raw, key, url) => {
  const resolved = makeResolver(origin).resolve(raw, `${origin}/x/y`);
  expect(resolved).toEqual({ url: origin + url, key: origin + key, own: true });
});

test("a page's own base applies to its addresses, and to no other page's", () => {
  const resolver = makeResolver(origin);
  const there = { url: "https://else.test/a", key: "https://else.test/a", own: false };
  const here = { url: `${origin}/a`, key: `${origin}/a`, own: true };
  expect(resolver.resolve("/a", "https://else.test/b/")).toEqual(there);
  expect(resolver.resolve("/a", `${origin}/b/`)).toEqual(here);
  expect(resolver.resolve("/a", "https://else.test/b/")).toEqual(there);
});
