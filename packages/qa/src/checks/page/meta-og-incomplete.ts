import type { Check } from "../../check.ts";
import { attribute } from "../../page/dom.ts";
import { isRedirectPage, isNoindex, type Page } from "../../page/page.ts";

/** What every object has to have (ogp.me, Basic Metadata). */
const needed = ["og:title", "og:type", "og:image", "og:url"] as const;

/** The properties that a page names, as they are in it; some write `name` for `property`. */
function propertiesOf(page: Page): Map<string, string> {
  return new Map(
    page.all("meta").flatMap((meta) => {
      const name = attribute(meta, "property") ?? attribute(meta, "name") ?? "";
      const content = attribute(meta, "content")?.trim() ?? "";
      return name.startsWith("og:") && content !== "" ? [[name, content] as const] : [];
    }),
  );
}

/** A page that begins to describe itself for link previews and leaves out what they need. */
export const metaOgIncomplete: Check = {
  id: "meta.og-incomplete",
  category: "meta",
  severity: "notice",
  skipForBuilds: true,
  *run(page) {
    if (isNoindex(page) || isRedirectPage(page)) return;
    const has = propertiesOf(page);
    // Without any, the start page says it for the site: it is a choice, not an oversight on each.
    if (has.size === 0 && page.path !== "/") return;
    const missing = needed.filter((name) => {
      const part =
        name === "og:image" && (has.has("og:image:url") || has.has("og:image:secure_url"));
      return !has.has(name) && !part;
    });
    // Previews take the page's own title and address where these are left out, and no type for a website.
    const matter = missing.filter((name) => name === "og:title" || name === "og:image");
    if (matter.length === 0) return;
    yield {
      evidence: { missing },
      message: `The page’s link preview lacks ${matter.join(" and ")}.`,
    };
  },
};
