import { type Check, quote } from "../../check.ts";
import { isNoindex, metaOf } from "../../page/page.ts";
import { isRedirectPage } from "../../page/refresh.ts";

/** In characters: a shorter description says nothing, a longer one is cut off in search results. */
const minLength = 25;
const maxLength = 170;

/** Reports a description with a length that search results can't use. */
export const metaDescriptionLength: Check = {
  id: "meta.description-length",
  category: "meta",
  severity: "notice",
  skipForBuilds: true,
  *run(page) {
    if (isNoindex(page) || isRedirectPage(page)) return;
    const description = (metaOf(page, "description") ?? "").replace(/\s+/g, " ").trim();
    // Scripts in which a character is a word need fewer of them.
    const dense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(
      description,
    );
    const chars = dense ? description.length * 2 : description.length;
    if (description === "" || (chars >= minLength && chars <= maxLength)) return;
    const how = chars < minLength ? "which says little" : "more than search results show";
    yield {
      target: description.slice(0, 80),
      // Pages with the same description have it from the same place.
      shared: true,
      // Search engines choose how much of it they show, and replace what they don't like.
      confidence: "review",
      evidence: { chars: description.length },
      message: `The description ${quote(description)} is ${description.length} characters long, ${how}.`,
    };
  },
};
