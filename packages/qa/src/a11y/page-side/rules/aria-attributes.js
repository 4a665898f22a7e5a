/** ACT 5f99a7: every attribute that begins with aria- is one of ARIA's. */
export const ariaAttributes = {
  id: "aria-valid-attr",
  act: ["5f99a7"],
  wcag: ["4.1.2"],
  impact: "critical",
  message: "It has an attribute that looks like ARIA but doesn't exist",
  *run({ all, isAriaName }) {
    for (const element of all("*")) {
      const wrong = element
        .getAttributeNames()
        .map((name) => name.toLowerCase())
        .find((name) => name.startsWith("aria-") && !isAriaName(name));
      if (wrong !== undefined) yield { element };
    }
  },
};
