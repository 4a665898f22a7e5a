/** ACT oj04fd: where the keyboard is can be seen. Asked only where a style takes the outline away. */
export const focusVisible = {
  id: "focus-visible",
  act: ["oj04fd"],
  wcag: ["2.4.7"],
  impact: "serious",
  message: "Nothing shows that it has keyboard focus: its outline is removed and not replaced",
  needsLayout: true,
  *run({ document, all, shown, inTabOrder, makeLosesOutline, showsFocus }) {
    const losesOutline = makeLosesOutline();
    // A field for words shows its caret, a slider its knob, which no style tells of; a frame has stops of its own.
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
    // The engines look at the page as it is; then the focus may move.
    yield "later";
    const active = document.activeElement;
    active?.blur?.();
    const reported = new Set();
    for (const element of candidates.slice(0, 60)) {
      // Of a kind, the first is told.
      const kind = `${element.localName} ${element.className} ${element.parentElement?.className}`;
      if (reported.has(kind)) continue;
      reported.add(kind);
      if (!showsFocus(element)) yield { element };
    }
    if (active && active !== document.body) active.focus?.({ preventScroll: true });
  },
};
