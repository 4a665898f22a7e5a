import { type Check, quote } from "../../check.ts";
import { isRedirectPage, isUnlisted, metaOf } from "../../page/page.ts";

/** A listed page without a description. */
export const metaDescriptionMissing: Check = {
  id: "meta.description-missing",
  category: "meta",
  severity: "warning",
  *look(page) {
    if (isUnlisted(page) || isRedirectPage(page)) return;
    if ((metaOf(page, "description") ?? "").trim() !== "") return;
    yield { evidence: { url: page.path }, message: "The page has no description." };
  },
};

/** A description that another page has as well. */
export const metaDescriptionDuplicate: Check = {
  id: "meta.description-duplicate",
  category: "meta",
  severity: "warning",
  *look(page, site) {
    const own = site.heads().get(page.path);
    if (!own || own.description === "" || own.unlisted) return;
    for (const [path, head] of site.heads()) {
      if (path === page.path || head.unlisted || head.description !== own.description) continue;
      const said = quote(own.description, 40);
      yield {
        target: own.description.slice(0, 80),
        evidence: { description: own.description.slice(0, 200), urls: [page.path, path] },
        message: `The description ${said} is that of ${path} too.`,
      };
      return;
    }
  },
};
