import { expect, test } from "vitest";

import { withoutLastLines } from "./last-lines.ts";

test.each([
  ["Done.\n\nSummary: The button invites.\nCommit: Invite to look", "Done.\n\nThe button invites."],
  ["Summary: The button invites.\nCommit:", "The button invites."],
  ["The button invites.\n\n**Commit:** Invite to look\n", "The button invites."],
  ["Done.\nSummary: The but", "Done.\nThe but"],
  ["Commit: early on, then more.\nAnd more.", "Commit: early on, then more.\nAnd more."],
  ["Nothing was changed.", "Nothing was changed."],
])("%j is shown as %j", (text, shown) => {
  expect(withoutLastLines(text)).toBe(shown);
});
