import type { Check } from "../../check.ts";
import { isNoindex } from "../../page/page.ts";
import { isRedirectPage } from "../../page/refresh.ts";
import { ownText } from "../../page/visible-texts.ts";

/** A page with less text than this can't be found by search engines. */
const minCharacters = 25;

/** Reports a listed page with hardly any text and nothing else to see. */
export const seoThin: Check = {
  id: "seo.thin",
  category: "seo",
  severity: "notice",
  // The report on an edit shows what the edit broke; how much text a page has is its owner's
  // choice.
  skipForBuilds: true,
  *run(page, site) {
    if (isNoindex(page) || isRedirectPage(page)) return;
    if (
      (site.response?.(page.path)?.status ?? 200) !== 200 ||
      /\/404(?:\.html|\/)?$/.test(page.path)
    )
      return;
    // Images, videos, forms, and drawings by scripts are content without text.
    const images = page.all("img", "svg", "video", "audio", "canvas", "iframe", "object", "form");
    if (images.length >= 3 || page.all("form", "video", "audio", "canvas", "iframe").length > 0) {
      return;
    }
    if (page.elements.some(({ name }) => name === "astro-island" || name.includes("-"))) return;
    const words = ownText(page);
    if (words === 0 || words >= minCharacters) return;
    yield {
      // A sign-in page or an index may need no more.
      confidence: "review",
      evidence: { words },
      message: `The page has only ${words} ${words === 1 ? "word" : "words"} of its own.`,
    };
  },
};
