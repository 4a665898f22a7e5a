import type { Check } from "../../check.ts";
import { isRedirectPage, isNoindex } from "../../page/page.ts";
import { ownText } from "../../page/visible-texts.ts";

/** With fewer words of its own than this there is nothing that a search engine could find it by. */
const minCharacters = 25;

/** A listed page with hardly any words, and nothing else to see either. */
export const seoThin: Check = {
  id: "seo.thin",
  category: "seo",
  severity: "notice",
  // An edit's report tells of what it breaks; how much a page says is its owner's choice.
  skipForBuilds: true,
  *run(page, site) {
    if (isNoindex(page) || isRedirectPage(page)) return;
    if (
      (site.response?.(page.path)?.status ?? 200) !== 200 ||
      /\/404(?:\.html|\/)?$/.test(page.path)
    )
      return;
    // Images, videos, forms and what scripts draw are content without words.
    const images = page.all("img", "svg", "video", "audio", "canvas", "iframe", "object", "form");
    if (images.length >= 3 || page.all("form", "video", "audio", "canvas", "iframe").length > 0) {
      return;
    }
    if (page.elements.some(({ name }) => name === "astro-island" || name.includes("-"))) return;
    const words = ownText(page);
    if (words === 0 || words >= minCharacters) return;
    yield {
      evidence: { words },
      message: `The page has only ${words} ${words === 1 ? "word" : "words"} of its own.`,
    };
  },
};
