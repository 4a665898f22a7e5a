import { expect, test } from "vitest";

import { isReachable } from "./visible-elements.ts";

const plain = { position: "static", clip: "auto", clipPath: "none" };
const sheet = {
  left: 0,
  scrollX: 0,
  scrollY: 500,
  viewWidth: 1440,
  viewHeight: 900,
};

function boxAt(left: number, top: number, width = 200, height = 40) {
  return { left, top, width, height, right: left + width, bottom: top + height };
}

test("what is scrolled out of view counts as visible", () => {
  expect(isReachable(boxAt(0, -480), plain, sheet)).toBe(true);
  expect(isReachable(boxAt(0, 2000), plain, sheet)).toBe(true);
});

test("what lies across an edge of the page doesn't, such as a skip link that waits for the focus", () => {
  for (const box of [boxAt(8, -568), boxAt(-9999, 0)]) {
    expect(isReachable(box, plain, sheet)).toBe(false);
  }
  expect(isReachable(boxAt(-600, 0), plain, { ...sheet, left: -800 })).toBe(true);
});

test("what is inside a scrollable part of the page counts as visible, far to the right or below", () => {
  for (const box of [boxAt(1440, 0), boxAt(0, 2500)]) {
    expect(isReachable(box, plain, sheet)).toBe(true);
  }
});

test("what is fixed outside the window doesn't", () => {
  const fixed = { ...plain, position: "fixed" };
  expect(isReachable(boxAt(0, 0), fixed, sheet)).toBe(true);
  expect(isReachable(boxAt(0, -60), fixed, sheet)).toBe(false);
  expect(isReachable(boxAt(0, 900), fixed, sheet)).toBe(false);
});

test("what is clipped to nothing is for screen readers; a thin line is visible", () => {
  expect(isReachable(boxAt(0, 0, 1, 1), plain, sheet)).toBe(false);
  for (const clip of ["rect(0px, 0px, 0px, 0px)", "rect(1px, 1px, 1px, 1px)"]) {
    expect(isReachable(boxAt(0, 0), { ...plain, clip }, sheet)).toBe(false);
  }
  for (const clipPath of ["inset(50%)", "inset(100%)"]) {
    expect(isReachable(boxAt(0, 0), { ...plain, clipPath }, sheet)).toBe(false);
  }
  expect(isReachable(boxAt(0, 0), { ...plain, clipPath: "inset(10%)" }, sheet)).toBe(true);
  expect(isReachable(boxAt(0, 0, 1200, 1), plain, sheet)).toBe(true);
});
