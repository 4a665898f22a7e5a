import { describe, expect, it } from "vitest";

import type { KeyValueStorage } from "../../../ui/storage.ts";
import { type StoredDraft, makeDrafts } from "./drafts.ts";

function fakeMemory(): KeyValueStorage {
  const kept = new Map<string, string>();
  return {
    get: (key) => kept.get(key) ?? null,
    set: (key, value) => void kept.set(key, value),
    remove: (key) => void kept.delete(key),
  };
}

const draft = (id: string, at: number): StoredDraft => ({
  id,
  at,
  version: 1,
  changes: { name: id },
  base: { name: "" },
});

describe("drafts", () => {
  it("of two page loads are kept side by side, newest first, at most three", () => {
    const drafts = makeDrafts(fakeMemory(), 1);
    for (const [id, at] of [
      ["a", 1],
      ["b", 2],
      ["a", 5],
      ["c", 3],
      ["d", 4],
    ] as const)
      drafts.keep(draft(id, at));
    expect(drafts.list().map(({ id }) => id)).toEqual(["a", "d", "c"]);
    drafts.forget("a");
    expect(drafts.list().map(({ id }) => id)).toEqual(["d", "c"]);
  });

  it("survive invalid data in the storage", () => {
    const memory = fakeMemory();
    memory.set("edit:1", "{not json");
    expect(makeDrafts(memory, 1).list()).toEqual([]);
    memory.set("edit:1", JSON.stringify([null, 4, { id: "x" }, draft("ok", 1)]));
    expect(
      makeDrafts(memory, 1)
        .list()
        .map(({ id }) => id),
    ).toEqual(["ok"]);
  });
});
