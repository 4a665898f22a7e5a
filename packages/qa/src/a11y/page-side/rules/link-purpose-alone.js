/**
 * ACT aizyf1: a link's text alone says where it leads, for people who browse a list of links. Certain
 * for what WCAG's failure F84 names, a call to click or to read more; what else says little may be
 * all that there is to say.
 */
export const linkPurposeAlone = {
  id: "link-purpose-alone",
  act: ["aizyf1"],
  wcag: ["2.4.9"],
  impact: "minor",
  message: "Its text alone doesn't say where it leads",
  *run({ all, role, name, exposed, plain, isBareCall }) {
    const isClickHere =
      /^((click )?here|click|this( link)?|link|((read|see|learn|find out) )?more)$/;
    for (const element of all("a, area[href], [role=link]")) {
      if (role(element) !== "link" || !exposed(element)) continue;
      const words = plain(name(element) || (element.textContent ?? ""));
      if (isBareCall(words)) yield { element, review: !isClickHere.test(words) };
    }
  },
};
