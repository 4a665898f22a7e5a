import { expect, it } from "vitest";

import type { Query } from "./client.ts";
import { fetchAllPages } from "./fetch-all-pages.ts";

/** A list of so many numbers, 0 and on unless told, page by page. */
function lister(total: number, first = 0) {
  const asked: unknown[] = [];
  const numbers = Array.from({ length: total }, (_, index) => first + index);
  async function get<T>(_path: string, query: Query = {}): Promise<T> {
    asked.push(query["page"]);
    const [page, perPage] = [Number(query["page"]), Number(query["perPage"])];
    const items = numbers.slice((page - 1) * perPage, page * perPage);
    return { items, total, page, perPage } as T;
  }
  return { get, asked };
}

it.each([
  [0, [1]],
  [100, [1]],
  [230, [1, 2, 3]],
])("a list of %i items is complete", async (total, pages) => {
  const { get, asked } = lister(total);
  const { items } = await fetchAllPages<number>({ get }, "/api/x/list", { keyOf: (item) => item });
  expect([items.length, new Set(items).size, asked]).toEqual([total, total, pages]);
});

it("an item that moves to the next page between two requests occurs once", async () => {
  const before = lister(150);
  // A new one is the first of the list meanwhile.
  const after = lister(151, -1);
  async function get<T>(path: string, query: Query = {}): Promise<T> {
    return (query["page"] === 1 ? before : after).get<T>(path, query);
  }
  const found = await fetchAllPages<number>({ get }, "/api/x/list", { keyOf: (item) => item });
  const whole = Array.from({ length: 150 }, (_, index) => index);
  expect(found).toEqual({ items: whole, total: 150 });
});
