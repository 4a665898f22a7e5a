/** ACT aizyf1: a link's text alone says where it leads, for people who browse a list of links. */
export const linkPurposeAlone = {
  id: "link-purpose-alone",
  act: ["aizyf1"],
  wcag: ["2.4.9"],
  impact: "minor",
  message: "Its text alone doesn't say where it leads",
  *run({ all, role, name, exposed, plain, isBareCall }) {
    for (const element of all("a, area[href], [role=link]")) {
      if (role(element) !== "link" || !exposed(element)) continue;
      if (isBareCall(plain(name(element) || (element.textContent ?? "")))) {
        yield { element, review: true };
      }
    }
  },
};
