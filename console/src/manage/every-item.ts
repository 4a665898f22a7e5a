import type { Client } from "./client.ts";

interface Whole<T> {
  items: T[];
  total: number;
}

/** Asks for all pages of a list that is shown as a whole. */
export async function everyItem<T>(
  client: Pick<Client, "get">,
  path: string,
  signal?: AbortSignal,
): Promise<Whole<T>> {
  const items: T[] = [];
  for (let page = 1; ; page += 1) {
    const found = await client.get<Whole<T>>(path, { page, perPage: 100 }, signal);
    items.push(...found.items);
    if (found.items.length === 0 || items.length >= found.total)
      return { items, total: items.length };
  }
}
