import { expect, test } from "vitest";

import { previewAddress, scaleToFit } from "./preview-url.ts";

const base = "http://site.example/about/";

test("a page's address is appended to the preview's", () => {
  expect(previewAddress("/_preview/01J/", "/about/", base)).toBe(
    "http://site.example/_preview/01J/about/",
  );
  expect(previewAddress("/_preview/01J", "/", base)).toBe("http://site.example/_preview/01J/");
  expect(previewAddress("https://preview.example/01J/", "/a?b#c", base)).toBe(
    "https://preview.example/01J/a?b#c",
  );
});

test("no path leads out of the preview", () => {
  for (const path of [
    "/../../admin",
    "//evil.example/x",
    "https://evil.example/",
    "\\\\evil.example",
  ]) {
    expect(previewAddress("/_preview/01J/", path, base)).toMatch(
      /^http:\/\/site\.example\/_preview\/01J\//,
    );
  }
});

test("a javascript: address is refused", () => {
  expect(previewAddress("javascript:alert(1)//", "/", base)).toBeNull();
  expect(previewAddress("data:text/html,x", "/", base)).toBeNull();
});

test("a device is scaled down to fit, never up", () => {
  expect(scaleToFit("phone", 1000, 844)).toBe(1);
  expect(scaleToFit("phone", 1000, 422)).toBe(0.5);
  expect(scaleToFit("tablet", 384, 2000)).toBe(0.5);
  expect(scaleToFit("full", 10, 10)).toBe(1);
});
