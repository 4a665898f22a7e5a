/** ACT oj04fd: the focus is visible. Checked only if a style removes the outline. */
export const focusVisible = {
  id: "focus-visible",
  act: ["oj04fd"],
  wcag: ["2.4.7"],
  impact: "serious",
  message: "Nothing shows that it has keyboard focus: its outline is removed and not replaced",
  needsLayout: true,
  *run({ document, all, shown, inTabOrder, makeLosesOutline, showsFocus }) {
    const losesOutline = makeLosesOutline();
    // A text field shows its caret, a slider its thumb, independent of styles; a frame has its own
    // stops.
    const candidates = all("a[href], button, summary, input, select, [tabindex]").filter(
      (element) =>
        element instanceof HTMLElement &&
        !element.matches(
          "input:not([type=button i], [type=submit i], [type=reset i], [type=image i], [type=checkbox i], [type=radio i]), [contenteditable]",
        ) &&
        losesOutline(element) &&
        inTabOrder(element) &&
        shown(element),
    );
    if (candidates.length === 0) return;
    // The engines need the page unchanged; after that, the focus may move.
    yield "later";
    const active = document.activeElement;
    active?.blur?.();
    const reported = new Set();
    for (const element of candidates.slice(0, 60)) {
      // Only the first one of a kind is reported.
      const kind = `${element.localName} ${element.className} ${element.parentElement?.className}`;
      if (reported.has(kind)) continue;
      reported.add(kind);
      if (!showsFocus(element)) yield { element };
    }
    if (active && active !== document.body) active.focus?.({ preventScroll: true });
  },
};
