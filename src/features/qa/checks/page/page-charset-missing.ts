import type { Check } from "../../check.ts";
import { attribute } from "../../page/dom.ts";

/** A page that doesn't say early in which encoding it is, which matters where no header says it. */
export const pageCharsetMissing: Check = {
  id: "page.charset-missing",
  category: "pages",
  severity: "warning",
  *look(page) {
    const said = page.all("meta").find((meta) => {
      const type = attribute(meta, "http-equiv")?.toLowerCase() === "content-type";
      return attribute(meta, "charset") !== undefined || type;
    });
    const at = said?.sourceCodeLocation?.startOffset ?? Infinity;
    if (at < 1024) return;
    yield { message: "The page does not say its encoding in its first 1,024 bytes." };
  },
};
