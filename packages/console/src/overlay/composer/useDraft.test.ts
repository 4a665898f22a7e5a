import { expect, test } from "vitest";

import { attachmentsOf, type DraftImage, isUploaded } from "./draft-images.ts";
import { readAlong } from "./useDraft.ts";

const element = {
  file: "app/src/pages/index.astro",
  line: 12,
  column: 5,
  tag: "h1",
  text: "We design",
  page: "/",
};
const picture = (more: Partial<DraftImage>): DraftImage => ({
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

test("what goes along is kept as it was, and what can't be read is nothing", () => {
  const along = { elements: [element], pictures: [picture({ referenceId: "r" })] };
  expect(readAlong(JSON.stringify(along))).toEqual(along);
  for (const text of [null, "", "{", "null", "7", `{"elements":7,"pictures":[null,{}]}`]) {
    expect(readAlong(text)).toEqual({ elements: [], pictures: [] });
  }
});

test("a picture goes along once it has arrived where its use puts it", () => {
  const both = { mediaId: 7, src: "/media/a.jpg", referenceId: "r" };
  const pictures = [
    picture({}),
    picture({ use: "page", referenceId: "r" }),
    picture({ use: "page", ...both }),
    picture({ use: "reference", ...both }),
  ];
  expect(pictures.map(isUploaded)).toEqual([false, false, true, true]);
  expect(attachmentsOf(pictures)).toEqual([
    { use: "page", mediaId: 7 },
    { use: "reference", referenceId: "r" },
  ]);
});
