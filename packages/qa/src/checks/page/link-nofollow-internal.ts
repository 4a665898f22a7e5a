import { type Check, quote } from "../../check.ts";
import { attribute, textOf } from "../../page/dom.ts";
import { isNoindex } from "../../page/page.ts";
import { linksOf } from "../addresses.ts";

/**
 * Reports a link that asks search engines not to follow it to one of the site's own pages, although
 * they may list that page.
 */
export const linkNofollowInternal: Check = {
  id: "link.nofollow-internal",
  category: "links",
  severity: "notice",
  *run(page, site) {
    for (const { element, raw, target } of linksOf(page, site)) {
      if (target.kind !== "inside" || target.search !== "") continue;
      const rel = attribute(element, "rel")?.toLowerCase().split(/\s+/) ?? [];
      // Links in visitors' comments are marked on purpose.
      if (!rel.includes("nofollow") || rel.includes("ugc")) continue;
      const place = site.resolve(target.path, target.search);
      const other = place?.kind === "file" ? site.page(place.path) : undefined;
      if (!other || isNoindex(other)) continue;
      yield {
        target: target.path,
        at: element,
        evidence: { href: raw, rel: rel.join(" ") },
        message: `The link ${quote(textOf(element))} to ${target.path} tells search engines not to follow it.`,
      };
    }
  },
};
