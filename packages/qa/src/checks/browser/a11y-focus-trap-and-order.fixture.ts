import type { BrowserFixture } from "../fixture.ts";

const editor = { selector: "#editor", locator: "body main div.editor", shared: false };

export const cases: BrowserFixture = {
  "a11y.focus-trap-and-order": {
    bad: [
      {
        visit: { focus: { sequence: ["#a", "#editor"], stuck: editor, unseen: [] } },
        evidence: { sequence: ["#a", "#editor"], stuckAt: "#editor" },
      },
      {
        why: "two of one list are one",
        visit: { focus: { sequence: ["#a"], stuck: null, unseen: [editor, editor] } },
        evidence: { sequence: ["#a"], stuckAt: null, unseen: "#editor" },
      },
    ],
    good: [{ visit: { focus: { sequence: ["#a", "#b"], stuck: null, unseen: [] } } }],
  },
};
