import type { Check } from "../../check.ts";
import { metaOf } from "../../page/page.ts";
import { isRedirectPage } from "../../page/refresh.ts";

function forbidsZoom(content: string): boolean {
  const settings = new Map(
    content
      .toLowerCase()
      .split(/[,;]/)
      .map((part) => part.split("=").map((word) => word.trim()) as [string, string]),
  );
  const scalable = settings.get("user-scalable");
  const max = Number.parseFloat(settings.get("maximum-scale") ?? "");
  return scalable === "no" || scalable === "0" || (max >= 0 && max < 2);
}

/** Reports a page that phones show tiny, or that can't be zoomed (WCAG 1.4.4). */
export const metaViewport: Check = {
  id: "meta.viewport",
  category: "meta",
  severity: "error",
  *run(page) {
    const content = metaOf(page, "viewport");
    if (content === undefined) {
      if (!isRedirectPage(page))
        yield {
          shared: true,
          evidence: { content: null },
          message: "The page has no viewport setting, so phones show it tiny.",
        };
    } else if (forbidsZoom(content)) {
      yield {
        target: content,
        shared: true,
        evidence: { content, act: ["b4f0c3"] },
        message: "The page prevents people from zooming in.",
      };
    }
  },
};
