import { describe, expect, test } from "vitest";

import {
  conflictsOf,
  type Draft,
  type FileDraft,
  noDraft,
  readDraft,
  readStale,
  rebased,
  requestOf,
  withField,
  withFile,
  withPreview,
} from "./draft.ts";

const form = {
  file: "about.json",
  hash: "h1",
  content: { title: "About", lead: "Hi.", story: ["One."] },
  sample: null,
};
const edit = (draft: Draft, key: string, value: unknown) => withField(draft, form, [key, value]);
const draftOf = (values: Record<string, unknown>): Draft => {
  let draft: Draft = {};
  for (const [key, value] of Object.entries(values)) draft = edit(draft, key, value);
  return draft;
};
const fileOf = (values: Record<string, unknown>): FileDraft =>
  draftOf(values)[form.file] ?? { hash: "", values: {}, before: {} };

describe("unsaved changes", () => {
  test("hold the changed fields alone, and none that is as it was again", () => {
    expect(draftOf({ title: "Me", story: ["One.", "Two."] })).toEqual({
      "about.json": {
        hash: "h1",
        values: { title: "Me", story: ["One.", "Two."] },
        before: { title: "About", story: ["One."] },
      },
    });
    expect(edit(draftOf({ title: "Me" }), "title", "About")).toEqual({});
    expect(draftOf({ image: null })).toEqual({});
  });

  test("are sent as changes and deletions", () => {
    const deleted = { hash: "h2", values: {}, before: {}, isDeleted: true } as const;
    expect(requestOf(withFile(draftOf({ title: "Me" }), "b.json", deleted))).toEqual({
      changes: [{ file: "about.json", hash: "h1", values: '{"title":"Me"}' }],
      deletions: [{ file: "b.json", hash: "h2" }],
    });
  });

  test("stay until there is a preview; then only what was typed since is left", () => {
    const files = draftOf({ title: "Me", lead: "Hello." });
    const sent = { runId: "r1", files };
    expect(withPreview({ files, sent })).toEqual(noDraft);
    const typed = edit(edit(files, "lead", "Hello there."), "story", []);
    expect(withPreview({ files: typed, sent })).toEqual({
      files: draftOf({ lead: "Hello there.", story: [] }),
      sent: null,
    });
    expect(withPreview({ files, sent: null })).toEqual({ files, sent: null });
  });

  test("survive in the tab's storage, and what isn't a draft there is left out", () => {
    const draft = { files: draftOf({ title: "Me" }), sent: { runId: "r1", files: {} } };
    expect(readDraft(JSON.parse(JSON.stringify(draft)))).toEqual(draft);
    for (const other of [null, [], 1, { files: 1 }, { files: { a: { hash: 1 } }, sent: {} }]) {
      expect(readDraft(other)).toEqual(noDraft);
    }
  });
});

describe("a page that has changed since it was opened", () => {
  const stale = {
    file: "about.json",
    hash: "h2",
    content: { title: "Us", lead: "Hi.", story: ["One.", "Two."] },
  };

  test("conflicts where both have changed a field, each to something else", () => {
    expect(conflictsOf(fileOf({ title: "Me", lead: "Hello." }), stale)).toEqual(["title"]);
    expect(conflictsOf(fileOf({ title: "Us", story: ["One.", "Two."] }), stale)).toEqual([]);
  });

  test("is saved with the chosen fields, made from its present version", () => {
    const mine = fileOf({ title: "Me", lead: "Hello.", story: ["One.", "Two."] });
    expect(rebased(mine, stale, new Set())).toEqual({
      hash: "h2",
      values: { title: "Me", lead: "Hello." },
      before: { title: "Us", lead: "Hi." },
    });
    expect(rebased(mine, stale, new Set(["title"]))).toEqual({
      hash: "h2",
      values: { lead: "Hello." },
      before: { lead: "Hi." },
    });
  });

  test("is known by the details of the refusal", () => {
    expect(readStale({ ...stale, yours: null })).toEqual(stale);
    for (const other of [null, undefined, {}, { ...stale, content: null }]) {
      expect(readStale(other)).toBeNull();
    }
  });
});
