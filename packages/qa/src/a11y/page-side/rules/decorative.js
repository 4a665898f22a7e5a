/** ACT 46ca7f: a decorative element isn't in the accessibility tree. */
export const decorative = {
  id: "presentation-role-conflict",
  act: ["46ca7f"],
  wcag: [],
  impact: "minor",
  message: "It is marked as decorative, but an attribute exposes it to assistive technology",
  // These attributes apply to every element, so one with them stays in the tree.
  *run({ all, role, exposed, focusable, isRole }) {
    const list =
      "atomic braillelabel brailleroledescription busy controls current describedby description details " +
      "dropeffect flowto keyshortcuts label labelledby live owns relevant roledescription";
    const globals = list.split(" ");
    const has = (element) => (name) => element.hasAttribute(`aria-${name}`);
    for (const element of all("img[alt=''], [role]")) {
      const tokens = (element.getAttribute("role") ?? "").trim().toLowerCase().split(/\s+/);
      const explicit = tokens.find(isRole);
      const marked =
        explicit === "none" ||
        explicit === "presentation" ||
        (element.matches("img[alt='']") && !element.hasAttribute("role"));
      if (!marked || !exposed(element) || element.matches("[role] > *[aria-hidden]")) continue;
      const is = role(element);
      // An SVG element has no implicit role to fall back to.
      const isKnown = is !== null || (element.localName === "svg" && globals.some(has(element)));
      if (!isKnown || is === "none" || is === "presentation") continue;
      // Frames and native buttons override the attribute.
      if (focusable(element) || globals.some(has(element))) {
        yield { element };
      }
    }
  },
};
