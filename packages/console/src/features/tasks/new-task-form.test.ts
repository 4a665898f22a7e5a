import { expect, test } from "vitest";

import type { MediaItem } from "../../api/types.ts";
import type { KeyValueStorage } from "../../ui/storage.ts";
import type { ModelView } from "../../../../server/src/features/agent/schema.ts";
import {
  bodyOf,
  caseStudyRefusal,
  emptyForm,
  makeDraft,
  movedEarlier,
  type NewTaskForm,
  validate,
  withImages,
} from "./new-task-form.ts";

const media = (id: number, kind: MediaItem["kind"] = "image"): MediaItem =>
  ({ id, kind, originalName: `${id}.jpg` }) as MediaItem;

function memory(kept: Record<string, string> = {}): KeyValueStorage {
  return {
    get: (key) => kept[key] ?? null,
    set: (key, value) => void (kept[key] = value),
    remove: (key) => void delete kept[key],
  };
}

test("an instruction is required and limited in length", () => {
  expect(validate(emptyForm)).toEqual({ instruction: "describe the change" });
  expect(validate({ ...emptyForm, instruction: "x".repeat(8000) })).toEqual({});
  const { instruction } = validate({ ...emptyForm, instruction: "x".repeat(8012) });
  expect(instruction).toBe("is 12 characters over the limit");
});

test("a task about a project names one, and a page starts with a slash", () => {
  const form = { ...emptyForm, instruction: "x" };
  expect(Object.keys(validate({ ...form, kind: "project" }))).toEqual(["projectId"]);
  for (const pageUrl of ["about", "//evil.example", "/\\evil", "https://x.example", "/a b"]) {
    expect([pageUrl, Object.keys(validate({ ...form, pageUrl }))]).toEqual([pageUrl, ["pageUrl"]]);
  }
  expect(validate({ ...form, pageUrl: " /om-mig/?x=1 " })).toEqual({});
});

test("empty values aren't sent, nor a project that the kind doesn't use", () => {
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

const model = (part: Partial<ModelView> = {}) =>
  ({ provider: "anthropic", keySet: true, abilities: null, ...part }) as ModelView;

const caseStudy: NewTaskForm = {
  ...emptyForm,
  kind: "case-study",
  instruction: "A brief",
  projectStatus: "published",
};

test("a new case study is sent as a project with its status, without page and project", () => {
  const rest = { project: { id: 3, name: "Åsa" }, pageUrl: "about", attachments: [media(7)] };
  const form = { ...caseStudy, ...rest };
  expect(validate(form, model())).toEqual({});
  expect(bodyOf(form)).toEqual({
    kind: "project",
    projectStatus: "published",
    instruction: "A brief",
    priority: 0,
    attachments: [7],
  });
  expect(validate({ ...caseStudy, instruction: " " })).toEqual({ instruction: "enter a brief" });
});

test("a new case study needs a model that can create it; another task doesn't", () => {
  const none = model({ provider: null, keySet: false });
  const { projectStatus } = validate(caseStudy, none);
  expect(projectStatus).toBe("A new case study needs a model, and none is set up.");
  expect(validate({ ...caseStudy, kind: "edit" }, none)).toEqual({});
  const abilities = { tools: true, images: false, testedAt: "" };
  const blind = model({ abilities });
  expect(caseStudyRefusal(blind, false)).toBeNull();
  expect(caseStudyRefusal(blind, true)).toMatch(/can’t see images/);
  expect(caseStudyRefusal(model({ abilities: { ...abilities, tools: false } }), false)).toMatch(
    /can’t call tools/,
  );
  expect(caseStudyRefusal(model({ keySet: false }), false)).toMatch(/has no key/);
  const local = model({ provider: "openai-compatible", keySet: false });
  expect(caseStudyRefusal(local, true)).toBeNull();
});

test("an image moves one place forward, the first one stays", () => {
  const images = [media(1), media(2), media(3)];
  const ids = (moved: number) => movedEarlier(images, media(moved)).map(({ id }) => id);
  expect([ids(3), ids(2), ids(1), ids(9)]).toEqual([
    [1, 3, 2],
    [2, 1, 3],
    [1, 2, 3],
    [1, 2, 3],
  ]);
});

test("data stored by an earlier version has no status yet", () => {
  const { projectStatus: _, ...before } = { ...emptyForm, instruction: "Half a sen" };
  const kept = { "new-task": JSON.stringify(before) };
  expect(makeDraft(memory(kept)).read()).toEqual({ ...before, projectStatus: "draft" });
});

test("at most ten images are attached, each once, and no videos", () => {
  const known = [media(1)];
  expect(withImages(known, [media(1), media(2)])).toEqual({
    images: [media(1), media(2)],
    refused: null,
  });
  expect(withImages(known, [media(3, "video")])).toEqual({
    images: known,
    refused: "Attach images only. Videos go to the media library.",
  });
  const many = Array.from({ length: 12 }, (_, index) => media(index + 2));
  const { images, refused } = withImages(known, many);
  expect([images.length, refused]).toEqual([10, "You can attach up to 10 images."]);
});

test("the draft is kept until it is sent; unreadable data is ignored", () => {
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
