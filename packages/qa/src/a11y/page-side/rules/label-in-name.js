/**
 * ACT 2ee8b8: a button's accessible name contains its visible label, for voice control. Certain if
 * the name has nothing of the label, or if a short label has a word that the name lacks or words that
 * it has in another order or place. Otherwise, it may be an abbreviation or a way to read it, or not
 * all of the text is the label.
 */
export const labelInName = {
  id: "label-content-name-mismatch",
  act: ["2ee8b8"],
  wcag: ["2.5.3"],
  impact: "serious",
  message: "Its name doesn't contain its visible text, so it can't be activated by voice",
  needsLayout: true,
  *run(kit) {
    const { all, role, name, shown, exposed, style, texts, isGlyph } = kit;
    const { wordsOf, isShortFor, makeSoundsLike } = kit;
    const roles =
      "button checkbox gridcell link menuitem menuitemcheckbox menuitemradio option radio searchbox switch tab treeitem";
    const isWidget = new Set(roles.split(" "));
    const isTiny = (element) => {
      const box = element.getBoundingClientRect();
      return box.width <= 1 || box.height <= 1;
    };
    const seenTexts = (element) =>
      texts(element)
        .filter(
          ({ parentElement: at }) =>
            at && shown(at) && !isTiny(at) && style(at).clipPath === "none",
        )
        .filter((node) => style(node.parentElement).opacity !== "0" && !isGlyph(node))
        .map(({ data }) => data);
    const seenText = (element) => seenTexts(element).join(" ");
    for (const element of all("[aria-label], [aria-labelledby]")) {
      if (!isWidget.has(role(element) ?? "") || !exposed(element) || !shown(element)) continue;
      const label = wordsOf(seenText(element));
      const joined = label.join("");
      // A symbol, such as × or a single letter, isn't a word; a number is.
      if (joined.length < 2 && !/\d/.test(joined)) continue;
      const called = name(element);
      if (wordsOf(called).length === 0) continue;
      const seen = seenText(element);
      // A hyphen can separate two words, or be part of one.
      const holds = [" ", ""].some((between) => {
        const [named, wanted] = [wordsOf(called, between), wordsOf(seen, between)];
        return [...named.keys()].some((at) =>
          wanted.every((word, index) => named[at + index] === word),
        );
      });
      if (holds) continue;
      const named = wordsOf(called).slice(0, 50);
      const joinedName = named.join("");
      const initials = named.map((word) => word.charAt(0)).join("");
      /** Whether the name may say this word in another way: `Asst.`, `FAQ`, `2021` as `20 21`. */
      const isAkin = (word) =>
        /\p{N}/u.test(word) ||
        joinedName.includes(word) ||
        initials.includes(word) ||
        named.some((other) => isShortFor(word, other) || isShortFor(other, word));
      const words = label.slice(0, 50);
      const soundsLike = makeSoundsLike({ called, named, seen });
      // A label of several parts may have some that aren't meant to be spoken, such as a badge.
      const isOneLabel = label.length <= 8 && seenTexts(element).length === 1;
      const lacksWord = words.some((word) => !soundsLike(word));
      const isElsewhere = words.length > 1 && words.every((word) => named.includes(word));
      const isCertain = !words.some(isAkin) || (isOneLabel && (lacksWord || isElsewhere));
      yield { element, review: !isCertain };
    }
  },
};
