/** ACT 6a7281: ARIA states and properties have values of the right type. */
export const ariaValues = {
  id: "aria-valid-attr-value",
  act: ["6a7281"],
  wcag: ["4.1.2"],
  impact: "critical",
  message: "One of its ARIA attributes has an invalid value",
  *run({ all, ariaTypes, mustBeThere }) {
    const any = Object.keys(ariaTypes).map((name) => `[${name}]`);
    const isValid = (element, name, value) => {
      const { type, values = [] } = ariaTypes[name];
      const normalized = value.toLowerCase();
      if (type === "boolean") return normalized === "true" || normalized === "false";
      if (type === "nmtoken") return values.includes(normalized);
      if (type === "nmtokens")
        return normalized
          .trim()
          .split(/\s+/)
          .every((one) => values.includes(one));
      if (type === "int") return /^\s*[-+]?\d+\s*$/.test(value);
      if (type === "decimal") return value.trim() !== "" && Number.isFinite(Number(value));
      if (type !== "idref" && type !== "idrefs") return true;
      const root = element.getRootNode();
      const isThere = (id) => id !== "" && Boolean(root.getElementById?.(id));
      return !mustBeThere(element, name) || value.split(/\s+/).some(isThere);
    };
    for (const element of all(any.join(","))) {
      const wrong = element.getAttributeNames().find((name) => {
        const value = element.getAttribute(name) ?? "";
        return ariaTypes[name] && value.trim() !== "" && !isValid(element, name, value);
      });
      // Browsers treat any other value as "true" here.
      if (wrong !== undefined) yield { element, review: wrong === "aria-current" };
    }
  },
};
