/** ACT 307n5z: an element whose children are presentational contains nothing focusable. */
export const flatChildren = {
  id: "nested-interactive",
  act: ["307n5z"],
  wcag: ["4.1.2"],
  impact: "serious",
  message: "It contains something focusable that assistive technology can't see",
  *run({ all, role, exposed, inside, tabStop }) {
    const flat =
      /^(button|checkbox|image|img|math|menuitemcheckbox|menuitemradio|meter|option|progressbar|radio|scrollbar|separator|slider|switch|tab|graphics-symbol|doc-pagebreak)$/;
    for (const element of all("button, [role]")) {
      if (!flat.test(role(element) ?? "") || !exposed(element)) continue;
      if ([...inside(element)].some(tabStop)) yield { element };
    }
  },
};
