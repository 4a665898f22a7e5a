/**
 * Facts about elements that our rules and the vetoes share, so that both know the same exceptions.
 * Runs inside the page, so it can't use anything outside the function.
 */
export function makeElementFacts({ explicitRole, implicitRole, role, isLanguage, ariaTypes }) {
  const newer = new Set(["aria-colindextext", "aria-rowindextext", "aria-virtualcontent"]);
  return {
    /** ACT 5f99a7: whether it is one of ARIA's attributes, also of those that axe doesn't know yet. */
    isAriaName: (attribute) => Boolean(ariaTypes[attribute]) || newer.has(attribute),
    isNewAriaName: (attribute) => newer.has(attribute),
    /** ACT 4e8ab6: whether the browser supplies the states of its role, which it has natively. */
    isNative: (element) =>
      implicitRole(element) === explicitRole(element) ||
      (explicitRole(element) === "combobox" && element.matches("select, input[list]")),
    /** ACT 6a7281: only required references must exist. */
    mustBeThere: (element, attribute) =>
      attribute === "aria-controls" &&
      (role(element) === "scrollbar" ||
        (role(element) === "combobox" && element.getAttribute("aria-expanded") === "true")),
    /** ACT de46e4: an empty language is none, and codes from qaa to qtz are for private use. */
    isLanguageFree(element) {
      const [code = ""] = (element.getAttribute("lang") ?? "").trim().toLowerCase().split("-");
      return code === "" || /^q[a-t][a-z]$/.test(code) || isLanguage(code);
    },
    /** ACT 73f2c2: whether it is a field that people fill in, which a browser can do for them. */
    isFillable(element) {
      if (!element.matches("input, select, textarea")) return false;
      const others =
        "input:is([type=hidden i], [type=button i], [type=submit i], [type=reset i], [type=image i])";
      if (element.matches(others)) return false;
      // A field that can't be reached by keyboard or assistive technology is ignored.
      const given = explicitRole(element);
      const isWidget = given === null || /box$|^(slider|switch|radio)$/.test(given);
      return isWidget || !element.getAttribute("tabindex")?.trim().startsWith("-");
    },
  };
}
