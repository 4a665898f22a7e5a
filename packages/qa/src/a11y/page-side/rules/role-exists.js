/** ACT 674b10: at least one of an element's roles exists. */
export const roleExists = {
  id: "aria-roles",
  act: ["674b10"],
  wcag: ["4.1.2"],
  impact: "critical",
  message: "Its role doesn't exist, so assistive technology ignores it",
  *run({ all, exposed, isRole }) {
    // Drafts define more roles than are in use.
    const drafted = /^associationlist(item(key|value))?$/;
    for (const element of all("[role]")) {
      const tokens = (element.getAttribute("role") ?? "").toLowerCase().match(/[^\t\n\f\r ]+/g);
      if (tokens === null || !exposed(element)) continue;
      if (!tokens.some((token) => isRole(token) || drafted.test(token))) yield { element };
    }
  },
};
