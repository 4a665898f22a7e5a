import { type Check, quote } from "../../check.ts";
import { findDuplicateMetadata } from "../duplicate-metadata.ts";

/** Reports a title that another page has as well. */
export const seoTitleDuplicate: Check = {
  id: "seo.title-duplicate",
  category: "seo",
  severity: "warning",
  *run(page, site) {
    const same = findDuplicateMetadata(site, page.path, "title");
    if (!same) return;
    const { title } = same.own;
    yield {
      target: title,
      at: same.own.lang,
      formerAt: "",
      shared: true,
      evidence: { title, urls: [page.path, same.other] },
      message: `${same.other} has the same title, ${quote(title)}.`,
    };
  },
};
