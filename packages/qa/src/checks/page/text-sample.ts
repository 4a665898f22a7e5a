import { type Check, locate, quote } from "../../check.ts";
import { attribute, type Element } from "../../page/dom.ts";
import type { Page } from "../../page/page.ts";
import { visibleTexts } from "../../page/visible-texts.ts";
import type { Site } from "../../site/site.ts";

/** In characters: a longer text counts wherever it occurs, a shorter one only on its own. */
const minContained = 12;

/**
 * Texts to search for, by their first characters, so that more texts don't slow down the search.
 */
interface Index {
  whole: ReadonlySet<string>;
  byStart: ReadonlyMap<string, readonly string[]>;
}

const normalize = (text: string): string => text.replace(/\s+/g, " ").trim();

const indexes = new WeakMap<readonly string[], Index>();

function indexOf(texts: readonly string[]): Index {
  const known = indexes.get(texts);
  if (known) return known;
  const all = [...new Set(texts.map(normalize))].filter((text) => text !== "");
  const long = all.filter((text) => text.length >= minContained);
  const index = {
    whole: new Set(all),
    byStart: Map.groupBy(long, (text) => text.slice(0, minContained)),
  };
  indexes.set(texts, index);
  return index;
}

/** The sample text that equals, or is contained in, a shown text; undefined if there is none. */
function findText(shown: string, { whole, byStart }: Index): string | undefined {
  const text = normalize(shown);
  if (whole.has(text)) return text;
  for (let at = 0; at + minContained <= text.length; at += 1) {
    const found = byStart
      .get(text.slice(at, at + minContained))
      ?.find((one) => text.startsWith(one, at));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** All text that a page shows, with its title and alt texts. */
function* textsOf(page: Page): Generator<{ text: string; at: Element }> {
  const title = page.first("title");
  const [name] = title?.children ?? [];
  if (title && name && "data" in name) yield { text: String(name.data), at: title };
  for (const { text, parent } of visibleTexts(page)) yield { text, at: parent };
  for (const image of page.all("img")) yield { text: attribute(image, "alt") ?? "", at: image };
}

/** Reports text of the sample content on a site that has another owner by now. */
export const textSample: Check = {
  id: "text.sample",
  category: "content",
  severity: "error",
  byElement: true,
  *run(page: Page, site: Site) {
    const { forbiddenTexts = [] } = site;
    if (forbiddenTexts.length === 0) return;
    const index = indexOf(forbiddenTexts);
    for (const { text, at } of textsOf(page)) {
      const found = findText(text, index);
      if (found === undefined) continue;
      yield {
        target: found,
        at,
        evidence: { match: found, selector: locate(at) },
        message: `${quote(found)} is from the sample site. Replace it with your own text or remove it.`,
      };
    }
  },
};
