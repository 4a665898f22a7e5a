/**
 * What the parameters of an address say about what it leads to. Runs inside the page, so it can't
 * use anything outside the function.
 */
export function makeAddresses() {
  /** Says where a visitor was, for statistics. */
  const tracking =
    /^(utm_\w+|ref(_\w+)?|referr?er|g?clid|gclsrc|dclid|wbraid|gbraid|fbclid|msclkid|ttclid|twclid|yclid|igshid|mc_\w+|_ga|_gl|_hs\w+|trk\w*|mkt_tok|vero_id)$/i;
  /** Says where a visitor goes afterwards, such as after signing in. */
  const way =
    /^(return(_?to|_?url|_?path)?|redirect(_?\w+)?|next|continue|back(_?url|_?to)?|dest(ination)?|goto|from|source|origin|referr?er|callback(_?url)?)$/i;
  const isAddress = (value) => /^(https?:|\/|%2f)/i.test(value);
  /** Selects what a page shows. */
  const content =
    /^(pa?g?e?|paged|start|offset|(?!.*(sess|visit|click|campaign|user))(\w+_?)?id|q|query|s|search|keywords?|filter|sort|order|cat|category|tag|topic|type|kind|of|section|chapter|article|post|product|item|event|job|year|month|date|v|video|doc|document|file|path|name|title|slug|key|view|tab|lang|hl|locale|no|number)$/i;
  const without = (search) =>
    [...new URLSearchParams(search)].filter(
      ([key, value]) => !tracking.test(key) && !(way.test(key) && isAddress(value)),
    );
  return {
    /**
     * Whether two queries of one path lead to the same: `yes`, `no`, or `open` if what differs may
     * be about the visitor only.
     */
    sameQuery(one, other) {
      const [left, right] = [without(one), without(other)];
      const isIn = (list) => (pair) => list.some((entry) => entry.join("=") === pair.join("="));
      const differing = [
        ...left.filter((pair) => !isIn(right)(pair)),
        ...right.filter((pair) => !isIn(left)(pair)),
      ];
      if (differing.length === 0) return "yes";
      return differing.some(([key, value]) => content.test(key) || value === "") ? "no" : "open";
    },
  };
}
