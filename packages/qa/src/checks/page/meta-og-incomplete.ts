import type { Check } from "../../check.ts";
import { attribute } from "../../page/dom.ts";
import { isNoindex, type Page } from "../../page/page.ts";
import { isRedirectPage } from "../../page/refresh.ts";

/** What every object must have (ogp.me, Basic Metadata). */
const needed = ["og:title", "og:type", "og:image", "og:url"] as const;

/**
 * The Open Graph properties of a page, as written; some sites write `name` instead of `property`.
 */
function propertiesOf(page: Page): Map<string, string> {
  return new Map(
    page.all("meta").flatMap((meta) => {
      const name = attribute(meta, "property") ?? attribute(meta, "name") ?? "";
      const content = attribute(meta, "content")?.trim() ?? "";
      return name.startsWith("og:") && content !== "" ? [[name, content] as const] : [];
    }),
  );
}

/** Reports a page with some of the data for link previews, but not what they require. */
export const metaOgIncomplete: Check = {
  id: "meta.og-incomplete",
  category: "meta",
  severity: "notice",
  skipForBuilds: true,
  *run(page) {
    if (isNoindex(page) || isRedirectPage(page)) return;
    const has = propertiesOf(page);
    const isEmpty = (name: string) =>
      page.all("meta").some((meta) => (attribute(meta, "property") ?? "") === name);
    // If no page has any, the start page reports it for the whole site: it is a choice, not an
    // oversight on each page.
    const isChoice = has.size === 0 && page.path !== "/";
    if (isChoice && !needed.some(isEmpty)) return;
    const missing = needed.filter((name) => {
      const part =
        name === "og:image" && (has.has("og:image:url") || has.has("og:image:secure_url"));
      return !has.has(name) && !part;
    });
    // Without the others, previews use the page's own title and address; a website needs no type.
    // One that is there but says nothing was meant to.
    const matter = missing.filter(
      (name) => isEmpty(name) || (!isChoice && (name === "og:title" || name === "og:image")),
    );
    if (matter.length === 0) return;
    yield {
      at: matter.join(" "),
      shared: true,
      evidence: { missing },
      message: `The page’s link preview lacks ${matter.join(" and ")}.`,
    };
  },
};
