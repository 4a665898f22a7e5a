import { type Check, quote } from "../../check.ts";

/** A title that another page has as well. */
export const seoTitleDuplicate: Check = {
  id: "seo.title-duplicate",
  category: "seo",
  severity: "warning",
  *look(page, site) {
    const own = site.heads().get(page.path);
    if (!own || own.title === "" || own.unlisted) return;
    for (const [path, head] of site.heads()) {
      if (path === page.path || head.unlisted || head.title !== own.title) continue;
      yield {
        target: own.title,
        evidence: { title: own.title, urls: [page.path, path] },
        message: `The title ${quote(own.title)} is that of ${path} too.`,
      };
      return;
    }
  },
};
