/**
 * Names that axe does not reckon with: what a style writes before or after, what aria-owns brings in,
 * words shown in a part that is hidden. Runs inside the page: it may use nothing from around it.
 */
export function makeSpokenText({ childrenOf, rendered }, { words, labelsOf }) {
  const fromContent =
    /^(button|checkbox|cell|columnheader|gridcell|heading|link|menuitem|menuitemcheckbox|menuitemradio|option|radio|row|rowheader|switch|tab|tooltip|treeitem)$/;
  const written = (element) =>
    ["::before", "::after"]
      .map((pseudo) => {
        const content = getComputedStyle(element, pseudo).content ?? "";
        const strings = content.replace(/url\("(?:[^"\\]|\\.)*"\)/g, "").matchAll(/"([^"]*)"/g);
        return [...strings].map(([, text]) => text).join("");
      })
      .join("");
  const contentOf = (element) => {
    if (element.getAttribute("aria-hidden") === "true") return "";
    const own = rendered(element);
    const parts = childrenOf(element).map((child) => {
      if (child.nodeType === 1) return contentOf(child);
      return own && child.nodeType === 3 ? child.data : "";
    });
    return element.matches("script, style, template, title")
      ? ""
      : `${own ? written(element) : ""} ${parts.join("")}`;
  };
  const ownedBy = (element) =>
    (element.getAttribute("aria-owns") ?? "")
      .split(/\s+/)
      .map((id) => (id === "" ? null : element.getRootNode().getElementById?.(id)))
      .map((owned) => (owned && !owned.contains(element) ? contentOf(owned) : ""))
      .join(" ");
  return {
    /** What an element with no name for axe is called all the same, or nothing. */
    otherName(element, role) {
      if (element instanceof SVGElement) {
        const title = Array.from(element.children).find(({ localName }) => localName === "title");
        const titled = words(title?.textContent ?? "");
        if (titled !== "") return titled;
      }
      const labelled = words(labelsOf(element));
      if (labelled !== "" || element.matches("img, input, select, textarea")) return labelled;
      if (!fromContent.test(role ?? "") && element.localName !== "summary") return "";
      return words(`${contentOf(element)} ${ownedBy(element)}`);
    },
  };
}
