/** ACT bf051a and de46e4: the declared language exists. */
export const knownLanguage = {
  id: "valid-lang",
  act: [],
  wcag: ["3.1.2"],
  impact: "serious",
  message: "Its language doesn't exist, so screen readers read it incorrectly",
  *run({ document, all, rendered, exposed, isLanguage, childrenOf, name }) {
    const isKnown = (tag) => {
      const [code = ""] = tag.trim().toLowerCase().split("-");
      return isLanguage(code) || /^q[a-t][a-z]$/.test(code);
    };
    const said = (element) => element.getAttribute("lang") ?? "";
    /** Whether there is visible or spoken text without another language. */
    const speaks = (element, isRoot) => {
      if (!isRoot && element.hasAttribute("lang")) return false;
      if (element.matches("script, style, template, noscript, iframe[srcdoc=''], head"))
        return false;
      const seen = rendered(element) || exposed(element);
      const called =
        seen && element.matches("img, input, button, area, iframe, [aria-label], [title], svg");
      if (called && name(element) !== "") return true;
      return childrenOf(element).some((child) =>
        child.nodeType === 1
          ? speaks(child, false)
          : seen && child.nodeType === 3 && /\S/.test(child.data),
      );
    };
    const { documentElement: root, defaultView: view } = document;
    if (root.localName === "html" && view?.parent === view && /\S/.test(said(root))) {
      const act = ["bf051a"];
      if (!isKnown(said(root))) yield { element: root, rule: "html-lang-valid", act };
    }
    for (const element of all("body, [lang]")) {
      if (!element.hasAttribute("lang") || !/\S/.test(said(element))) continue;
      if (!(element instanceof HTMLElement) || isKnown(said(element))) continue;
      if (element === root || element.closest("head")) continue;
      if (speaks(element, true)) yield { element, act: ["de46e4"] };
    }
  },
};
