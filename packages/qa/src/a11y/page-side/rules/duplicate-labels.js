/** ACT cc0f0a: two fields with the same name are distinguishable by visible content around them. */
export const duplicateLabels = {
  id: "label-descriptive",
  act: ["cc0f0a"],
  wcag: ["2.4.6"],
  impact: "moderate",
  message: "Another field has the same label, and nothing visible tells them apart",
  needsLayout: true,
  *run({ all, shown, exposed, style, texts, plain, parent }) {
    const isOffscreen = (element) => {
      const box = element.getBoundingClientRect();
      return box.right < 0 || box.bottom + scrollY < 0 || box.width <= 1 || box.height <= 1;
    };
    const isSeen = (element) =>
      shown(element) && !isOffscreen(element) && style(element).opacity !== "0";
    const fields = all(
      "input:not([type]), input:is([type=text], [type=email], [type=tel], [type=search], [type=number]), textarea",
    ).filter((field) => exposed(field) && isSeen(field) && field.labels?.length === 1);
    const groups = Map.groupBy(fields, (field) => plain(field.labels[0].textContent ?? ""));
    for (const [label, [first, ...others]] of groups) {
      if (label === "" || others.length === 0) continue;
      /** The largest element around one of them but not the other. */
      const around = (one, other) => {
        let part = one;
        for (let at = parent(one); at && !at.contains(other); at = parent(at)) part = at;
        return part;
      };
      const tells = (part) =>
        texts(part).some(
          ({ parentElement: at }) => at && isSeen(at) && !at.closest("label, button, option"),
        ) || part.matches("[aria-label]");
      const isTable = first.closest("table, [role=grid], [role=row]");
      for (const field of others) {
        const [one, other] = [around(first, field), around(field, first)];
        // Repeated rows of one form are distinguished by their order.
        const areParts =
          one.matches("fieldset, form, section") && other.matches("fieldset, form, section");
        if (!isTable && areParts && !tells(one) && !tells(other)) {
          yield { element: field, review: true };
        }
      }
    }
  },
};
