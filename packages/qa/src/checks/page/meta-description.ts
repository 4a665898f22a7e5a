import { type Check, quote } from "../../check.ts";
import { findDuplicateMetadata, lacksDescriptions } from "../duplicate-metadata.ts";
import { isNoindex, metaOf } from "../../page/page.ts";
import { isRedirectPage } from "../../page/refresh.ts";

/**
 * Reports a listed page without a description. If no page has one, that is a single defect, of the
 * template; as soon as one has, each other page lacks its own.
 */
export const metaDescriptionMissing: Check = {
  id: "meta.description-missing",
  category: "meta",
  severity: "warning",
  *run(page, site) {
    if (isNoindex(page) || isRedirectPage(page)) return;
    if ((metaOf(page, "description") ?? "").trim() !== "") return;
    const evidence = { url: page.path };
    if (lacksDescriptions(site)) {
      const message = "No page of the site has a description.";
      yield { at: "all pages", shared: true, formerAt: "", evidence, message };
    } else {
      yield { evidence, message: "The page has no description." };
    }
  },
};

/** Reports a description that another page has as well. */
export const metaDescriptionDuplicate: Check = {
  id: "meta.description-duplicate",
  category: "meta",
  severity: "warning",
  *run(page, site) {
    const same = findDuplicateMetadata(site, page.path, "description");
    if (!same) return;
    const { description } = same.own;
    yield {
      target: description.slice(0, 80),
      at: same.own.lang,
      formerAt: "",
      shared: true,
      evidence: { description: description.slice(0, 200), urls: [page.path, same.other] },
      message: `${same.other} has the same description, ${quote(description, 40)}.`,
    };
  },
};
