/**
 * Facts about elements that our rules and the vetoes share, so that both know the same exceptions.
 * Runs inside the page, so it can't use anything outside the function.
 */
export function makeElementFacts({ explicitRole, isLanguage }) {
  return {
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
      const role = explicitRole(element);
      const isWidget = role === null || /box$|^(slider|switch|radio)$/.test(role);
      return isWidget || !element.getAttribute("tabindex")?.trim().startsWith("-");
    },
  };
}
