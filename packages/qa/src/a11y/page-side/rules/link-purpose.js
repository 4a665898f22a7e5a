/** ACT 5effbb: a link's text and its context say where it leads. */
export const linkPurpose = {
  id: "link-purpose",
  act: [],
  wcag: ["2.4.4"],
  impact: "moderate",
  message: "Neither its text nor the text around it says where it leads",
  *run({ all, role, name, exposed, plain, saysNoPurpose, parent }) {
    for (const element of all("a[href], area[href], [role=link]")) {
      const words = plain(name(element));
      if (role(element) !== "link" || !exposed(element) || !saysNoPurpose(words)) continue;
      // Context: aria-describedby, a title, its sentence, list item, or cell, or the heading before
      // it.
      const isDescribed = element.hasAttribute("aria-describedby") || element.hasAttribute("title");
      let around = element.closest("p, li, td, th, dd, dt, figcaption");
      let text = plain(around?.textContent ?? "");
      for (let at = parent(element); !around && at && at.localName !== "body"; at = parent(at)) {
        if (plain(at.textContent ?? "") !== words) around = at;
        text = plain(at.textContent ?? "");
      }
      const alone = text === words || text === "";
      // A nested list item, a row, or a section of the page.
      let inItem = false;
      for (let at = around; at && !inItem; at = parent(at)) {
        const isPart = at.matches("li, td, tr, article, section, figure");
        inItem = isPart && plain(at.textContent ?? "") !== words;
      }
      // A heading before a list, or its introduction, says what the items belong to.
      const list = element.closest("ul, ol");
      const headed = /^(H[1-6]|HEADER|SUMMARY)$/.test(list?.previousElementSibling?.tagName ?? "");
      if (!isDescribed && !headed && alone && !inItem)
        yield { element, act: ["5effbb"], review: true };
    }
  },
};
