/** ACT 4e8ab6: an element with a role has the states that the role requires. */
export const ariaRequired = {
  id: "aria-required-attr",
  act: ["4e8ab6"],
  wcag: ["4.1.2"],
  impact: "critical",
  message: "Its role needs a state that is missing, such as whether it is checked",
  *run({ all, explicitRole, role, isNative, exposed, tabStop }) {
    const required = {
      checkbox: ["aria-checked"],
      combobox: ["aria-expanded"],
      heading: ["aria-level"],
      menuitemcheckbox: ["aria-checked"],
      menuitemradio: ["aria-checked"],
      meter: ["aria-valuenow"],
      radio: ["aria-checked"],
      scrollbar: ["aria-controls", "aria-valuenow"],
      slider: ["aria-valuenow"],
      switch: ["aria-checked"],
    };
    const focusable = (element) => tabStop(element) || element.hasAttribute("tabindex");
    const neededBy = (element, is) => {
      if (is === "separator") return focusable(element) ? ["aria-valuenow"] : [];
      // A closed element needn't name what it opens.
      if (is === "combobox" && element.getAttribute("aria-expanded") === "true") {
        return ["aria-expanded", "aria-controls"];
      }
      return Object.hasOwn(required, is) ? required[is] : [];
    };
    /** Native checkboxes, headings, and sliders have these states implicitly. */
    const isSet = (element, name) =>
      (name === "aria-checked" && element.matches("input:is([type=checkbox i], [type=radio i])")) ||
      (name === "aria-level" && /^h[1-6]$/.test(element.localName)) ||
      (name === "aria-valuenow" && element.matches("input[type=range i], meter, progress"));
    for (const element of all("[role]")) {
      const is = explicitRole(element);
      if (is === null || role(element) !== is || !exposed(element)) continue;
      if (isNative(element)) continue;
      const lacks = neededBy(element, is).some(
        (name) => !isSet(element, name) && (element.getAttribute(name) ?? "").trim() === "",
      );
      if (lacks) yield { element };
    }
  },
};
