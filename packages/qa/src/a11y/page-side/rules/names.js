/** Elements whose role requires a name, but that have none: one ACT rule for each kind. */
export const names = {
  id: "accessible-name",
  act: [],
  wcag: ["4.1.2"],
  impact: "critical",
  message: "It has no name for assistive technology",
  *run({ all, role, explicitRole, exposed, name }) {
    /** Not focusable or marked as decorative, so it needs no name. */
    const isPassedBy = (frame) =>
      Number.parseInt(frame.getAttribute("tabindex") ?? "", 10) < 0 ||
      /^(none|presentation)$/.test(explicitRole(frame) ?? "");
    const fields =
      "checkbox combobox listbox menuitemcheckbox menuitemradio radio searchbox slider spinbutton switch textbox";
    const isField = new Set(fields.split(" "));
    const ruleOf = (element, is) => {
      const tag = element.localName;
      const native = !element.hasAttribute("role");
      if (tag === "summary" && (native || is === null || is === "button")) {
        const details = element.parentElement;
        const heads = details?.localName === "details" && details.querySelector("summary");
        return heads === element && native ? ["summary-name", "2t702h"] : null;
      }
      if (element.matches("input:is([type=file i], [type=color i])")) return ["label", null];
      if (is === "none" || is === "presentation") return null;
      if (element.matches("input[type=image i]")) return ["input-image-alt", "59796f"];
      if (tag === "iframe") return isPassedBy(element) ? null : ["frame-title", "cae760"];
      if (is === "link") {
        if (tag === "area") return ["area-alt", "c487ae"];
        // A link in an SVG isn't part of this rule but needs a name.
        return ["link-name", element instanceof SVGElement ? null : "c487ae"];
      }
      if (is === "button") {
        if (tag === "input") return ["input-button-name", "97a4e1"];
        return [tag === "button" ? "button-name" : "aria-command-name", "97a4e1"];
      }
      if (is === "menuitem") return ["aria-command-name", "m6b1q3"];
      if (is === "heading") return ["empty-heading", "ffd0e9"];
      if (!native && /^(checkbox|menuitemcheckbox|menuitemradio|radio|switch|option)$/.test(is)) {
        return ["aria-toggle-field-name", is === "option" ? null : "e086e5"];
      }
      if (is !== null && isField.has(is)) {
        const native1 = tag === "select" ? "select-name" : "label";
        return [native ? native1 : "aria-input-field-name", "e086e5"];
      }
      if ((is === "img" || is === "image") && element instanceof HTMLElement) {
        return [tag === "img" ? "image-alt" : "role-img-alt", "23a2a8"];
      }
      if (element instanceof SVGElement && !native && /^(img|image|graphics-)/.test(is ?? "")) {
        return is === "graphics-object" ? null : ["svg-img-alt", "7d6734"];
      }
      return null;
    };
    const selector =
      "a[href], area[href], button, input, select, textarea, summary, iframe, img, h1, h2, h3, h4, h5, h6, [role]";
    for (const element of all(selector)) {
      if (element.matches("input[type=hidden i]") || !exposed(element)) continue;
      const rule = ruleOf(element, role(element));
      if (!rule || name(element) !== "") continue;
      yield { element, rule: rule[0], act: rule[1] === null ? [] : [rule[1]] };
    }
  },
};
