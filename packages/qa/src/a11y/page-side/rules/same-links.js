/**
 * ACT fd3a94 and b20e66: links with the same name lead to the same place, or their context
 * distinguishes them.
 */
export const sameLinks = {
  id: "identical-links-same-purpose",
  act: [],
  wcag: ["2.4.9"],
  impact: "minor",
  message: "Another link with the same name leads somewhere else",
  *run({ document, all, role, name, exposed, plain, sameQuery }) {
    const targetOf = (element) => {
      const link = element.closest("a[href], area[href]") ?? element;
      const given =
        link.getAttribute("href") ??
        /location(?:\.href)?\s*=\s*['"]([^'"]+)/.exec(link.getAttribute("onclick") ?? "")?.[1];
      if (given === undefined || given === null) return null;
      try {
        const url = new URL(given, document.baseURI);
        if (!/^https?:$/.test(url.protocol) || (given.startsWith("#") && given.length < 2))
          return null;
        return url.href.replace(/\/(index\.\w+)?(?=[?#]|$)/, "");
      } catch {
        return null;
      }
    };
    // The sentence, list item, cell, or block that contains a link, with headers and headings.
    const contextOf = (element) => {
      const around =
        element.closest("p, li, td, th, dd, dt, figcaption, blockquote") ?? element.parentElement;
      return around;
    };
    const akin = (one, other) => {
      const [short, long] = [one, other].toSorted((a, b) => a.length - b.length);
      const owner = (host) => host.split(".").slice(-2).join(".");
      return owner(one) === owner(other) || long.includes(short.replace(/^www\.|\.\w+$/g, ""));
    };
    const groups = new Map();
    for (const element of all("a[href], area[href], [role=link]")) {
      if (role(element) !== "link" || !exposed(element)) continue;
      const key = plain(name(element));
      if (key === "") continue;
      groups.set(key, [
        ...(groups.get(key) ?? []),
        { element, target: targetOf(element), context: contextOf(element) },
      ]);
    }
    for (const links of groups.values()) {
      if (links.length < 2 || links.some(({ target }) => target === null)) continue;
      const [first, ...others] = links;
      for (const { element, target, context } of others) {
        if (target === first.target) continue;
        // Two sites may show the same content; two addresses of one site with different queries
        // don't.
        const [one, other] = [new URL(target), new URL(first.target)];
        const sameHost = one.host === other.host;
        const isSamePath = sameHost && one.pathname === other.pathname;
        const same = isSamePath ? sameQuery(one.search, other.search) : "yes";
        const together = context !== null && context === first.context;
        const act = together ? ["b20e66", "fd3a94"] : ["b20e66"];
        if (same !== "yes") yield { element, act, review: same === "open" };
        // Adjacent, to two unrelated hosts.
        else if (together && !sameHost && !akin(one.host, other.host)) {
          yield { element, act: ["b20e66"] };
        }
      }
    }
  },
};
