import { assert, nat, property } from "fast-check";
import { expect, test } from "vitest";

import { moved, movedIds, reordered } from "./order.ts";

const items = [1, 2, 3, 4, 5].map((id) => ({ id }));
const ids = items.map(({ id }) => id);

test("a move names only the items between its two places", () => {
  expect(movedIds(ids, 3, 1)).toEqual([4, 2, 3]);
  expect(movedIds(ids, 0, 1)).toEqual([2, 1]);
  expect(movedIds(ids, 0, -1)).toEqual([]);
  expect(movedIds(ids, 4, 5)).toEqual([]);
});

test("an item moves within its list, and nowhere else", () => {
  expect(moved([7, 8, 9], 0, 1)).toEqual([8, 7, 9]);
  expect(moved([7, 8, 9], 2, 1)).toEqual([7, 9, 8]);
  expect(moved([7, 8, 9], 0, 3)).toEqual([7, 8, 9]);
});

test("the named items take their own places, the rest stays", () => {
  expect(reordered(items, [4, 2]).map(({ id }) => id)).toEqual([1, 4, 3, 2, 5]);
  expect(reordered(items, [9, 5, 1]).map(({ id }) => id)).toEqual([5, 2, 3, 4, 1]);
  expect(reordered(items, [])).toEqual(items);
});

test("the immediate result is the same as the server's", () => {
  const place = nat(items.length - 1);
  assert(
    property(place, place, (from, to) => {
      const seen = reordered(items, movedIds(ids, from, to)).map(({ id }) => id);
      expect(seen).toEqual(moved(ids, from, to));
    }),
  );
});
