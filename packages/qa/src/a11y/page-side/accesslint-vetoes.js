/**
 * Why accesslint's failure of an element isn't one, if axe has checked the same and knows better: a
 * part of `makeVetoes`. Runs inside the page, so it can't use anything outside the function.
 */
export function makeAccesslintVetoes(kit) {
  const { exposed, rendered, name, role, inside, ariaTypes } = kit;
  const { isFillable, isLanguageFree, isNewAriaName } = kit;
  /** What is hidden from everybody is no barrier. */
  const isHidden = (element) => element.localName !== "html" && !exposed(element);
  const isGone = (element) => isHidden(element) && !rendered(element);
  /** Names that axe computes, such as the tooltip of an icon. */
  const isNamed = (element) => name(element) !== "";
  /** ACT a25f45 and d0f69e: a table for layout only has no headers. */
  const isLayout = (element) => {
    const table = element.closest("table");
    return table !== null && /^(none|presentation)$/.test(role(table) ?? "");
  };
  /** ARIA 1.2: a combobox, unlike ARIA 1.0's, contains nothing, and what it opens is elsewhere. */
  const isCombobox = (element) => role(element) === "combobox";
  /** It doesn't look into shadow roots. */
  const holdsShadow = (element) => [...inside(element)].some(({ shadowRoot }) => shadowRoot);
  const isNoField = (element) => !isFillable(element);
  /** Two parts of a phone number that its list lacks. */
  const isPhonePart = (element) =>
    /(^|\s)tel-local-(prefix|suffix)$/i.test(element.getAttribute("autocomplete")?.trim() ?? "");
  /** ARIA 1.3: these belong to every role, unless it prohibits names, which is another rule. */
  const hasOnlyGlobals = (element) =>
    element
      .getAttributeNames()
      .filter((attribute) => attribute.startsWith("aria-"))
      .every((attribute) => ariaTypes[attribute]?.global === true || isNewAriaName(attribute));
  return [
    [/^adaptable\/aria-required-children$/, isCombobox],
    [/^adaptable\/aria-required-children$/, holdsShadow],
    [/^adaptable\/t[dh]-/, isLayout],
    [/^adaptable\/autocomplete-valid$/, isNoField],
    [/^adaptable\/autocomplete-valid$/, isPhonePart],
    [/^aria\/aria-allowed-attr$/, hasOnlyGlobals],
    [/^readable\/html-lang-valid$/, isLanguageFree],
    [/^navigable\/(link-name|empty-heading)$/, isNamed],
    [/^labels-and-names\/(.*-name|form-label|frame-title)$/, isNamed],
    [/^text-alternatives\/(img|svg-img|input-image|area|role-img)-alt$/, isNamed],
    [/^(text-alternatives|labels-and-names|navigable|aria)\/(?!aria-hidden)/, isHidden],
    [/^adaptable\/(aria|td|th|list|dl|definition|scope|empty)/, isHidden],
    [/^(adaptable|readable|distinguishable|keyboard-accessible)\//, isGone],
  ];
}
