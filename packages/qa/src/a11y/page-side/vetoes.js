/**
 * Why an engine's failure of an element isn't one: the only reasons for which an engine's verdict
 * doesn't stand. Runs inside the page, so it can't use anything outside the function.
 */
export function makeVetoes(kit) {
  const { exposed, ownName, scrolls, takesFocus, holdsFocus } = kit;
  const { isBlocked, isSilent, isRole, isLanguage, role, focusable, ariaTypes } = kit;
  /** A letter used as a symbol, such as X for close, isn't text: its button has a name. */
  const isSign = (element) => {
    const text = (element.textContent ?? "").trim();
    const named = element.closest("button, a[href], [role=button]");
    return [...text].length === 1 && /\S/.test(named?.getAttribute("aria-label") ?? "");
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
  const tokensOf = (element, name) =>
    (element.getAttribute(name) ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  /** ACT 674b10: one valid role among several is enough; books have roles of their own. */
  const hasRole = (element) => tokensOf(element, "role").some(isRole);
  /** ACT de46e4: an empty language is none, and codes from qaa to qtz are for private use. */
  const isLanguageFree = (element) => {
    const [code = ""] = (element.getAttribute("lang") ?? "").trim().toLowerCase().split("-");
    return code === "" || /^q[a-t][a-z]$/.test(code) || isLanguage(code);
  };
  /**
   * ACT 6a7281: an attribute without a value isn't checked, and a reference needs no target unless
   * the role requires it. Any other attribute may be what the engine means.
   */
  const isUnchecked = (element) =>
    element.getAttributeNames().every((name) => {
      const type = ariaTypes[name]?.type;
      if (type === undefined || !/\S/.test(element.getAttribute(name))) return true;
      return /^idrefs?$/.test(type) && !/^(combobox|scrollbar)$/.test(role(element) ?? "");
    });
  /** ARIA 1.2 requires no value of it. */
  const isSpinner = (element) => role(element) === "spinbutton";
  /** ACT 46ca7f: `aria-hidden` alone exposes nothing. */
  const isOnlyHidden = (element) =>
    !focusable(element) &&
    element.getAttributeNames().every((name) => !/^aria-(?!hidden$)/.test(name));
  /** An inert part, or one behind a modal dialog, is out of everybody's reach. */
  const isOutOfReach = (element) =>
    !/^(html|head|body)$/.test(element.localName) && isBlocked(element);
  /** ACT eac66b: a video without a sound track needs no captions. */
  const isSilentVideo = (element) => element.localName === "video" && isSilent(element);
  const isHidden = (element) => element.localName !== "html" && !exposed(element);
  const vetoes = [
    [/color-contrast/, isSign],
    [/color-contrast/, isNoLanguage],
    [/object-alt/, isPage],
    [/(^|\/)(html-|document-title|landmark-main|landmark-one-main|page-has-heading)/, isNoPage],
    [/(-name|-alt|form-label|^label|empty-heading|frame-title)$/, isNamed],
    [/frame-title$/, isPassedBy],
    [/scrollable-region/, isReached],
    [/aria-hidden-focus$/, takesNone],
    [/(nested-interactive|presentational-children-focusable)$/, holdsNone],
    [/^(?!.*(document-title|meta-|html-))/, isOutOfReach],
    [/video-caption/, isSilentVideo],
    [/aria-roles$/, hasRole],
    [/(^|\/)valid-lang$/, isLanguageFree],
    [/aria-valid-attr-value$/, isUnchecked],
    [/aria-required-attr$/, isSpinner],
    [/presentation-role-conflict$/, isOnlyHidden],
    // What is hidden from everybody is no barrier; accesslint reports it.
    [/^(text-alternatives|labels-and-names|navigable|aria)\/(?!aria-hidden)/, isHidden],
  ];
  return (rule, element) => vetoes.some(([rules, veto]) => rules.test(rule) && veto(element));
}
