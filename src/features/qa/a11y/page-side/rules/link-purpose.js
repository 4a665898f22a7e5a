/** ACT 5effbb and aizyf1: a link's words, or those around it, say where it leads. */
export const linkPurpose = {
  id: "link-purpose",
  act: [],
  wcag: ["2.4.4"],
  impact: "moderate",
  message: "Neither its words nor those around it say where it leads",
  *look({ all, role, name, exposed, plain, parent }) {
    const vague =
      /^(more|read more|learn more|see more|find out more|click|click here|here|this|link|this link|this page|page|go|details|more info|more information|info|continue|continue reading)$/;
    for (const element of all("a[href], area[href], [role=link]")) {
      const words = plain(name(element));
      if (role(element) !== "link" || !exposed(element) || !vague.test(words)) continue;
      // With aria-describedby, a title, or its own sentence, item, cell or the heading before it.
      const told = element.hasAttribute("aria-describedby") || element.hasAttribute("title");
      let around = element.closest("p, li, td, th, dd, dt, figcaption");
      let text = plain(around?.textContent ?? "");
      for (let at = parent(element); !around && at && at.localName !== "body"; at = parent(at)) {
        if (plain(at.textContent ?? "") !== words) around = at;
        text = plain(at.textContent ?? "");
      }
      const alone = text === words || text === "";
      const outer = around?.closest("li, td, tr, article, section, figure") ?? null;
      const inItem = outer !== null && plain(outer.textContent ?? "") !== words;
      if (told) continue;
      if (alone && !inItem) yield { element, act: ["5effbb", "aizyf1"] };
      else yield { element, act: ["aizyf1"], rule: "link-purpose-alone" };
    }
  },
};
