import { expect, test } from "vitest";

import { emptyDraft, parseDraft } from "./task-draft.ts";

test("a draft is as it was kept", () => {
  const draft = { text: "Do it", aboutPage: false, priority: 1, attachments: [4, 7] };
  expect(parseDraft(JSON.stringify(draft))).toEqual(draft);
});

test("what can't be read is left out", () => {
  expect(parseDraft(null)).toEqual(emptyDraft);
  expect(parseDraft("{")).toEqual(emptyDraft);
  expect(parseDraft("7")).toEqual(emptyDraft);
  const odd = { text: 3, priority: 9, attachments: ["x", 2, null] };
  expect(parseDraft(JSON.stringify(odd))).toEqual({ ...emptyDraft, attachments: [2] });
});
