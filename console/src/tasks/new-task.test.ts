import { expect, test } from "vitest";

import { emptyDraft, readDraft } from "./new-task.ts";

test("a draft is as it was kept", () => {
  const draft = { text: "Do it", aboutPage: false, priority: 1, attachments: [4, 7] };
  expect(readDraft(JSON.stringify(draft))).toEqual(draft);
});

test("what can't be read is left out", () => {
  expect(readDraft(null)).toEqual(emptyDraft);
  expect(readDraft("{")).toEqual(emptyDraft);
  expect(readDraft("7")).toEqual(emptyDraft);
  const odd = { text: 3, priority: 9, attachments: ["x", 2, null] };
  expect(readDraft(JSON.stringify(odd))).toEqual({ ...emptyDraft, attachments: [2] });
});
