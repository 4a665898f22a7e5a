/** ACT kb1m8s: an element without a role can't have a name, because nobody hears it. */
export const prohibitedName = {
  id: "aria-prohibited-attr",
  act: ["kb1m8s"],
  wcag: ["4.1.2"],
  impact: "moderate",
  message:
    "It is named with ARIA, but its role can't have a name, so assistive technology ignores it",
  *run({ all, explicitRole, exposed }) {
    const plainTags =
      "a b bdi bdo code data del div em i ins p pre q samp small span strong sub sup u";
    const isPlain = new Set(plainTags.split(" "));
    const nameless =
      /^(caption|code|deletion|emphasis|generic|insertion|paragraph|strong|subscript|superscript)$/;
    const names = ["aria-label", "aria-labelledby", "aria-braillelabel"];
    for (const element of all(names.map((name) => `[${name}]`).join(","))) {
      if (!(element instanceof HTMLElement) || !exposed(element)) continue;
      // Authors shouldn't use this role, but it exists.
      const isGeneric = element.matches("[role=generic i]");
      const role = isGeneric ? "generic" : explicitRole(element);
      const takesNone =
        role === null
          ? isPlain.has(element.localName) && !element.matches("a[href], [contenteditable]")
          : nameless.test(role);
      const isNamed = names.some((name) => /\S/.test(element.getAttribute(name) ?? ""));
      // Unknown and deprecated roles are reported elsewhere.
      if (!takesNone || !isNamed || (role === null && element.hasAttribute("role"))) continue;
      yield { element };
    }
  },
};
