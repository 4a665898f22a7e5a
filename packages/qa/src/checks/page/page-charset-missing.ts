import type { Check } from "../../check.ts";
import { attribute } from "../../page/dom.ts";

/** A page that doesn't say early in which encoding it is, which matters where no header says it. */
export const pageCharsetMissing: Check = {
  id: "page.charset-missing",
  category: "pages",
  severity: "warning",
  *run(page, site) {
    // The header counts before anything in the page.
    const header = site.response?.(page.path)?.headers["content-type"];
    if (header !== undefined && /charset=/i.test(header)) return;
    // XML says its encoding itself, and is UTF-8 where it doesn't.
    if (page.file.type.startsWith("application/xhtml+xml")) return;
    // A mark at the very beginning counts before all else.
    if ((site.response?.(page.path)?.head ?? site.text(page.path))?.startsWith("\uFEFF")) return;
    const charsetMeta = page.all("meta").find((meta) => {
      const type = attribute(meta, "http-equiv")?.toLowerCase() === "content-type";
      return attribute(meta, "charset") !== undefined || type;
    });
    const at = charsetMeta?.sourceCodeLocation?.startOffset ?? Infinity;
    if (at < 1024) return;
    yield {
      evidence: { first: at === Infinity ? null : at },
      message: "The page doesn’t declare its encoding in the first 1,024 bytes.",
    };
  },
};
