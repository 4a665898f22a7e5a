import { expect, test } from "vitest";

import type { MediaItem } from "../../api/types.ts";
import type { KeyValueStorage } from "../../ui/storage.ts";
import { bodyOf, emptyForm, makeDraft, validate, withImages } from "./new-task-form.ts";

const media = (id: number, kind: MediaItem["kind"] = "image"): MediaItem =>
  ({ id, kind, originalName: `${id}.jpg` }) as MediaItem;

function memory(kept: Record<string, string> = {}): KeyValueStorage {
  return {
    get: (key) => kept[key] ?? null,
    set: (key, value) => void (kept[key] = value),
    remove: (key) => void delete kept[key],
  };
}

test("an instruction is needed and has its bound", () => {
  expect(validate(emptyForm)).toEqual({ instruction: "say what is to be done" });
  expect(validate({ ...emptyForm, instruction: "x".repeat(8000) })).toEqual({});
  const { instruction } = validate({ ...emptyForm, instruction: "x".repeat(8012) });
  expect(instruction).toBe("is 12 characters too long");
});

test("a task about a project names one, and a page starts with a slash", () => {
  const form = { ...emptyForm, instruction: "x" };
  expect(Object.keys(validate({ ...form, kind: "project" }))).toEqual(["projectId"]);
  for (const pageUrl of ["about", "//evil.example", "/\\evil", "https://x.example", "/a b"]) {
    expect([pageUrl, Object.keys(validate({ ...form, pageUrl }))]).toEqual([pageUrl, ["pageUrl"]]);
  }
  expect(validate({ ...form, pageUrl: " /om-mig/?x=1 " })).toEqual({});
});

test("what is empty is not sent, nor a project that the kind is not about", () => {
  const form = { ...emptyForm, instruction: "Do it.", project: { id: 3, name: "Åsa" } };
  expect(bodyOf(form)).toEqual({ kind: "edit", instruction: "Do it.", priority: 0 });
  expect(
    bodyOf({
      ...form,
      kind: "project",
      title: " T ",
      pageUrl: "/a/",
      priority: "-1",
      attachments: [media(7)],
    }),
  ).toEqual({
    kind: "project",
    projectId: 3,
    title: "T",
    pageUrl: "/a/",
    instruction: "Do it.",
    priority: -1,
    attachments: [7],
  });
});

test("ten images go along at most, each once, and no videos", () => {
  const known = [media(1)];
  expect(withImages(known, [media(1), media(2)])).toEqual({
    images: [media(1), media(2)],
    refused: null,
  });
  expect(withImages(known, [media(3, "video")])).toEqual({
    images: known,
    refused: "Only pictures go along; films stay in the media library.",
  });
  const many = Array.from({ length: 12 }, (_, index) => media(index + 2));
  const { images, refused } = withImages(known, many);
  expect([images.length, refused]).toEqual([10, "No more than 10 pictures go along."]);
});

test("what is written is kept until it is sent; what can't be read is nothing", () => {
  const kept: Record<string, string> = {};
  const draft = makeDraft(memory(kept));
  expect(draft.read()).toBeNull();
  const form = { ...emptyForm, instruction: "Half a sen" };
  draft.write(form);
  expect(makeDraft(memory(kept)).read()).toEqual(form);
  draft.write(null);
  expect(kept).toEqual({});
  for (const broken of ["{", "null", "[]", '{"instruction":1}']) {
    expect([broken, makeDraft(memory({ "new-task": broken })).read()]).toEqual([broken, null]);
  }
});
