import { expect, it } from "vitest";

import type { Query } from "./client.ts";
import { everyItem } from "./every-item.ts";

/** A list of so many numbers, page by page. */
function lister(total: number) {
  const asked: unknown[] = [];
  const numbers = Array.from({ length: total }, (_, index) => index);
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
])("a list of %i items comes whole", async (total, pages) => {
  const { get, asked } = lister(total);
  const { items } = await everyItem<number>({ get }, "/api/x/list");
  expect([items.length, new Set(items).size, asked]).toEqual([total, total, pages]);
});
