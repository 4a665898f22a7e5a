/** ACT 2ee8b8: who says what they see on a button reaches that button. */
export const labelInName = {
  id: "label-content-name-mismatch",
  act: ["2ee8b8"],
  wcag: ["2.5.3"],
  impact: "serious",
  message:
    "Its name does not hold the words that are to be seen on it, so that it cannot be called by voice",
  needsLayout: true,
  *look({ all, role, name, shown, exposed, style, texts }) {
    const roles =
      "button checkbox gridcell link menuitem menuitemcheckbox menuitemradio option radio searchbox switch tab treeitem";
    const isWidget = new Set(roles.split(" "));
    const isTiny = (element) => {
      const box = element.getBoundingClientRect();
      return box.width <= 1 || box.height <= 1;
    };
    const seenText = (element) =>
      texts(element)
        .filter(
          ({ parentElement: at }) =>
            at && shown(at) && !isTiny(at) && style(at).clipPath === "none",
        )
        .filter(
          ({ parentElement: at }) =>
            style(at).opacity !== "0" && !/icon/i.test(style(at).fontFamily),
        )
        .map(({ data }) => data)
        .join(" ");
    const wordsOf = (text) =>
      text
        .normalize("NFKC")
        .toLowerCase()
        // What is in brackets explains, and is not said.
        .replace(/\([^)]*\)|\[[^\]]*\]/g, " ")
        .replace(/[‘’']/g, "")
        .replace(/[-‐‑]/g, " ")
        .match(/[\p{L}\p{N}]+/gu) ?? [];
    for (const element of all("[aria-label], [aria-labelledby]")) {
      if (!isWidget.has(role(element) ?? "") || !exposed(element) || !shown(element)) continue;
      const label = wordsOf(seenText(element));
      const joined = label.join("");
      // A sign, such as × or a lone letter, is no word.
      if (joined.length < 2) continue;
      const named = wordsOf(name(element));
      if (named.length === 0) continue;
      const starts = named.keys();
      const holds = [...starts].some((at) =>
        label.every((word, index) => named[at + index] === word),
      );
      // Written in one or in two, the words are the same.
      if (holds || (joined === named.join("") && !/^\d+$/.test(joined))) continue;
      yield { element };
    }
  },
};
