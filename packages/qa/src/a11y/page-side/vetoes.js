/**
 * Cases in which the engines are known to be wrong about an element, by the text of the rule. Runs
 * inside the page, so it can't use anything outside the function.
 */
export function makeVetoes() {
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
  const vetoes = [
    [/color-contrast/, isSign],
    [/color-contrast/, isNoLanguage],
    [/object-alt/, isPage],
    [/(^|\/)(html-|document-title|landmark-main|landmark-one-main|page-has-heading)/, isNoPage],
  ];
  return (rule, element) => vetoes.some(([rules, veto]) => rules.test(rule) && veto(element));
}
