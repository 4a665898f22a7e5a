/** ACT 46ca7f: what is marked as decoration is out of the accessibility tree. */
export const decorative = {
  id: "presentation-role-conflict",
  act: ["46ca7f"],
  wcag: [],
  impact: "minor",
  message: "It is marked as decoration, but something on it keeps it known to assistive technology",
  *look({ all, role, exposed, focusable }) {
    for (const element of all("img[alt=''], [role]")) {
      const explicit = (element.getAttribute("role") ?? "").trim().toLowerCase().split(/\s+/)[0];
      const marked =
        explicit === "none" ||
        explicit === "presentation" ||
        (element.matches("img[alt='']") && !element.hasAttribute("role"));
      if (!marked || !exposed(element) || element.matches("[role] > *[aria-hidden]")) continue;
      const is = role(element);
      if (is === null || is === "none" || is === "presentation") continue;
      // A frame that hands its size on and a button that is one anyway say the same themselves.
      if (
        focusable(element) ||
        element.matches("[aria-label], [aria-labelledby], [aria-describedby]")
      ) {
        yield { element };
      }
    }
  },
};
