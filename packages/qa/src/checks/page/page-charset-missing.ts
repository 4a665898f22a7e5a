import type { Check } from "../../check.ts";
import { attribute } from "../../page/dom.ts";

/** Reports a page that doesn't declare its encoding early on, if no header declares it. */
export const pageCharsetMissing: Check = {
  id: "page.charset-missing",
  category: "pages",
  severity: "warning",
  *run(page, site) {
    // The header overrides everything in the page.
    const header = site.response?.(page.path)?.headers["content-type"];
    if (header !== undefined && /charset=/i.test(header)) return;
    // XML declares its own encoding, and defaults to UTF-8.
    if (page.file.type.startsWith("application/xhtml+xml")) return;
    // A byte order mark overrides everything else.
    if ((site.response?.(page.path)?.head ?? site.text(page.path))?.startsWith("\uFEFF")) return;
    const charsetMeta = page.all("meta").find((meta) => {
      const type = attribute(meta, "http-equiv")?.toLowerCase() === "content-type";
      return attribute(meta, "charset") !== undefined || type;
    });
    const at = charsetMeta?.sourceCodeLocation?.startOffset ?? Infinity;
    if (at < 1024) return;
    yield {
      shared: true,
      evidence: { first: at === Infinity ? null : at },
      message: "The page doesn’t declare its encoding in the first 1,024 bytes.",
    };
  },
};
