import { type Check, quote } from "../../check.ts";
import { isNoindex } from "../../page/page.ts";
import { isRedirectPage } from "../../page/refresh.ts";
import { isElement, textOf } from "../../page/dom.ts";

/** The width of a title in search results, in pixels at 20 px Arial. */
const maxPixels = 600;
/** In pixels: letter widths are estimates, so only clearly longer titles are reported. */
const tolerance = 40;

const widths: readonly [RegExp, number][] = [
  [/[ijl.,:;'|!‘’]/, 4.6],
  [/[ftrI()[\]{}"\s/\\*-]/, 6.2],
  [/[mwMW@%—–]/, 15.5],
  [/[\p{Lu}\d&]/u, 12.6],
  // Chinese, Japanese, and Korean characters are square.
  [/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u, 20],
];

function pixelsOf(title: string): number {
  let sum = 0;
  for (const letter of title) {
    sum += widths.find(([kind]) => kind.test(letter))?.[1] ?? 10.6;
  }
  return Math.round(sum);
}

/** Reports a title that search results cut off. */
export const seoTitleLength: Check = {
  id: "seo.title-length",
  category: "seo",
  severity: "notice",
  skipForBuilds: true,
  *run(page) {
    if (isNoindex(page) || isRedirectPage(page)) return;
    const element = page
      .all("title")
      .find(({ parent }) => !isElement(parent) || parent.name !== "svg");
    const title = element ? textOf(element) : "";
    // Short titles don't need measuring: no letter is wider than this.
    const px = title.length * 20 <= maxPixels ? 0 : pixelsOf(title);
    if (px <= maxPixels + tolerance || title.length <= 30) return;
    yield {
      target: title.slice(0, 120),
      shared: true,
      // Where they cut it depends on the device, and the first words may be enough.
      confidence: "review",
      evidence: { chars: title.length, px, room: maxPixels },
      message: `The title ${quote(title, 80)} is ${title.length} characters long, so search results may cut it off.`,
    };
  },
};
