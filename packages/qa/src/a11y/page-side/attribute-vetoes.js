/**
 * Why an engine's failure of an attribute's value isn't one: a part of `makeVetoes`. Runs inside the
 * page, so it can't use anything outside the function.
 */
export function makeAttributeVetoes(kit) {
  const { isRole, isLanguageFree, role, focusable, ariaTypes } = kit;
  const { mustBeThere, isAriaName, isNative } = kit;
  const tokensOf = (element, name) =>
    (element.getAttribute(name) ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  /** ACT 674b10: one valid role among several is enough; books have roles of their own. */
  const hasRole = (element) => tokensOf(element, "role").some(isRole);
  /**
   * ACT 6a7281: an attribute without a value isn't checked, and a reference needs no target unless
   * the role requires it. A number, or a value that ARIA lacks, may be what the engine means.
   */
  const isUnchecked = (element) =>
    element.getAttributeNames().every((name) => {
      const { type, values = ["true", "false"] } = ariaTypes[name] ?? {};
      if (type === undefined || type === "string" || !/\S/.test(element.getAttribute(name)))
        return true;
      if (/^(boolean|nmtoken)$/.test(type)) return values.includes(element.getAttribute(name));
      if (!/^idrefs?$/.test(type)) return false;
      const root = element.getRootNode();
      const isThere = (id) => id !== "" && Boolean(root.getElementById?.(id));
      return !mustBeThere(element, name) || element.getAttribute(name).split(/\s+/).some(isThere);
    });
  /** ARIA 1.2 requires no value of it. */
  const isSpinner = (element) => role(element) === "spinbutton";
  const areKnown = (element) =>
    element.getAttributeNames().every((name) => !name.startsWith("aria-") || isAriaName(name));
  /** ACT 46ca7f: `aria-hidden` alone exposes nothing. */
  const isOnlyHidden = (element) =>
    !focusable(element) &&
    element.getAttributeNames().every((name) => !/^aria-(?!hidden$)/.test(name));
  return [
    [/aria-roles$/, hasRole],
    [/(^|\/)valid-lang$/, isLanguageFree],
    [/aria-valid-attr-value$/, isUnchecked],
    [/aria-required-attr$/, isSpinner],
    [/aria-required-attr$/, isNative],
    [/aria-valid-attr$/, areKnown],
    [/presentation-role-conflict$/, isOnlyHidden],
  ];
}
