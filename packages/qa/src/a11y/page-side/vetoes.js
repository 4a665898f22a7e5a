/**
 * Why an engine's failure of an element isn't one: the only reasons for which an engine's verdict
 * doesn't stand. Runs inside the page, so it can't use anything outside the function.
 */
export function makeVetoes(kit) {
  const { ownName, scrolls, takesFocus, holdsFocus } = kit;
  const { isBlocked, isSilent, isFading, attributeVetoes, accesslintVetoes } = kit;
  /**
   * A letter used as a symbol, such as X for close, isn't text: its button has a name. A number is
   * text, and so is a letter that the name repeats.
   */
  const isSign = (element) => {
    const text = (element.textContent ?? "").trim().toLowerCase();
    const named = element.closest("button, a[href], [role=button]");
    const label = (named?.getAttribute("aria-label") ?? "").toLowerCase();
    const isSaid = (label.match(/[\p{L}\p{N}]+/gu) ?? []).includes(text);
    return [...text].length === 1 && /\S/.test(label) && !isSaid && !/\p{N}/u.test(text);
  };
  /** ACT afw4f7: dots, lines, and arrows aren't text in any language. */
  const isNoLanguage = (element) =>
    /\S/.test(element.textContent ?? "") && !/[\p{L}\p{N}]/u.test(element.textContent);
  /** ACT 8fc3b6: a page in an object is text with its own title. */
  const isPage = ({ contentDocument: page }) =>
    /html/.test(page?.contentType ?? "") && (page.body?.childElementCount ?? 0) > 0;
  /** ACT b5c3f8: a document of another kind, such as SVG or MathML, isn't a page. */
  const isNoPage = () => !/html/.test(document.contentType);
  /** Accessible Name 1.2, 2F: styles, aria-owns, and hidden labels give names, too. */
  const isNamed = (element) => ownName(element) !== "";
  /** ACT cae760: a frame that is decorative or can't be focused needs no name. */
  const isPassedBy = (frame) =>
    Number.parseInt(frame.getAttribute("tabindex") ?? "", 10) < 0 ||
    /^(none|presentation)$/.test(frame.getAttribute("role") ?? "");
  /** ACT 0ssw9k: it hides nothing, or the Tab key reaches something in it. */
  const isReached = (element) =>
    element instanceof HTMLElement && (!scrolls(element) || takesFocus(element));
  /** ACT 6cfa84: neither it nor anything in it takes the focus. */
  const takesNone = (element) => !takesFocus(element);
  /** ACT 307n5z: nothing in it takes the focus. */
  const holdsNone = (element) => !holdsFocus(element);
  /** An inert part, or one behind a modal dialog, is out of everybody's reach. */
  const isOutOfReach = (element) =>
    !/^(html|head|body)$/.test(element.localName) && isBlocked(element);
  /** ACT eac66b: a video without a sound track needs no captions. */
  const isSilentVideo = (element) => element.localName === "video" && isSilent(element);
  /** An empty list says nothing, and nothing is wrong until something is in it (ARIA 1.3, list). */
  const isEmptyList = (element) =>
    /^(list)?$/.test(element.getAttribute("role") ?? "") &&
    (element.getAttribute("role") === "list" || /^(ul|ol|menu)$/.test(element.localName)) &&
    element.childElementCount === 0 &&
    !element.hasAttribute("aria-owns") &&
    !/\S/.test(element.textContent ?? "");
  const vetoes = [
    [/color-contrast/, isSign],
    [/color-contrast/, isNoLanguage],
    [/color-contrast/, isFading],
    [/object-alt/, isPage],
    [/(^|\/)(html-|document-title|landmark-main|landmark-one-main|page-has-heading)/, isNoPage],
    [/(-name|-alt|form-label|^label|empty-heading|frame-title)$/, isNamed],
    [/frame-title$/, isPassedBy],
    [/scrollable-region/, isReached],
    [/aria-hidden-focus$/, takesNone],
    [/(nested-interactive|presentational-children-focusable)$/, holdsNone],
    [/^(?!.*(document-title|meta-|html-))/, isOutOfReach],
    [/video-caption/, isSilentVideo],
    [/aria-required-children$/, isEmptyList],
    ...attributeVetoes,
    ...accesslintVetoes,
  ];
  return (rule, element) => vetoes.some(([rules, veto]) => rules.test(rule) && veto(element));
}
