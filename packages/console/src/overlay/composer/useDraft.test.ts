import { expect, test } from "vitest";

import { attachmentsOf, type DraftImage, isUploaded } from "./draft-images.ts";
import { readContext, writeContext } from "./useDraft.ts";

const element = {
  file: "app/src/pages/index.astro",
  line: 12,
  column: 5,
  tag: "h1",
  text: "We design",
  page: "/",
};
const image = (more: Partial<DraftImage>): DraftImage => ({
  key: "1",
  name: "a.jpg",
  use: "reference",
  alt: "",
  thumb: null,
  mediaId: null,
  src: null,
  referenceId: null,
  ...more,
});

test("attachments are stored unchanged, and unreadable data is ignored", () => {
  const context = { elements: [element], images: [image({ referenceId: "r" })] };
  expect(readContext(writeContext(context))).toEqual(context);
  const stored = JSON.stringify({ elements: context.elements, pictures: context.images });
  expect(readContext(stored)).toEqual(context);
  for (const text of [null, "", "{", "null", "7", `{"elements":7,"pictures":[null,{}]}`]) {
    expect(readContext(text)).toEqual({ elements: [], images: [] });
  }
});

test("an image is attached once it has arrived where it is used", () => {
  const both = { mediaId: 7, src: "/media/a.jpg", referenceId: "r" };
  const images = [
    image({}),
    image({ use: "page", referenceId: "r" }),
    image({ use: "page", ...both }),
    image({ use: "reference", ...both }),
  ];
  expect(images.map(isUploaded)).toEqual([false, false, true, true]);
  expect(attachmentsOf(images)).toEqual([
    { use: "page", mediaId: 7 },
    { use: "reference", referenceId: "r" },
  ]);
});
