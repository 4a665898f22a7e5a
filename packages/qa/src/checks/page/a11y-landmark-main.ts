import type { Check } from "../../check.ts";
import { isHiddenFromReaders, roleOf } from "../../page/dom.ts";
import { isRedirectPage } from "../../page/refresh.ts";

/** Reports a page without a main landmark, or with several. */
export const a11yLandmarkMain: Check = {
  id: "a11y.axe.landmark-one-main",
  category: "accessibility",
  severity: "warning",
  isBrowserFallback: true,
  *run(page) {
    const mains = page.elements.filter((element) => {
      const role = roleOf(element);
      return (
        (role === "main" || (role === "" && element.name === "main")) &&
        !isHiddenFromReaders(element)
      );
    });
    if (mains.length === 1 || isRedirectPage(page)) return;
    yield {
      at: mains.length === 0 ? "none" : "several",
      shared: true,
      evidence: { rule: "landmark-one-main", count: mains.length },
      message:
        mains.length === 0
          ? "The page has no main landmark (main)."
          : `The page has ${mains.length} main landmarks.`,
    };
  },
};
