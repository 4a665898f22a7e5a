/**
 * Where the engines are known to be wrong about an element, by the letter of the rule. Runs inside
 * the page: it may use nothing from around it.
 */
export function makeVetoes() {
  /** ACT 0ssw9k: what can only be scrolled over its own padding, or half a line, hides nothing. */
  const scrollsPaddingOnly = (element) => {
    const style = getComputedStyle(element);
    const [top, right, bottom, left] = ["Top", "Right", "Bottom", "Left"].map((side) =>
      Number.parseFloat(style[`padding${side}`]),
    );
    const line = Number.parseFloat(style.lineHeight) || Number.parseFloat(style.fontSize) * 1.2;
    return (
      element.scrollHeight - element.clientHeight < top + bottom + line / 2 &&
      element.scrollWidth - element.clientWidth <= left + right
    );
  };
  /** A letter that stands for a sign, such as X for close, is no text: its button has a name. */
  const isSign = (element) => {
    const text = (element.textContent ?? "").trim();
    const named = element.closest("button, a[href], [role=button]");
    return [...text].length === 1 && /\S/.test(named?.getAttribute("aria-label") ?? "");
  };
  /** ACT b5c3f8: a document of another kind, a drawing or a formula, is no page. */
  const isNoPage = () => !/html/.test(document.contentType);
  const vetoes = [
    [/scrollable-region/, scrollsPaddingOnly],
    [/color-contrast/, isSign],
    [/(^|\/)(html-|document-title|landmark-main|landmark-one-main|page-has-heading)/, isNoPage],
  ];
  return (rule, element) => vetoes.some(([rules, veto]) => rules.test(rule) && veto(element));
}
