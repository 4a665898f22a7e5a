import type { Check } from "../../check.ts";

/** In bytes, before compression. */
const budget = 500 * 1024;

/** Reports a page with heavy HTML. */
export const pageSizeHtml: Check = {
  id: "page.size-html",
  category: "pages",
  severity: "warning",
  *run({ file: { bytes } }) {
    if (bytes <= budget) return;
    yield {
      evidence: { bytes, budget },
      message: `The page’s HTML is ${Math.round(bytes / 1024)} kB. Aim for ${budget / 1024} kB or less.`,
    };
  },
};
