import { type Check, quote } from "../../check.ts";
import { createHash } from "node:crypto";
import { textOf } from "../../page/dom.ts";
import type { Page } from "../../page/page.ts";
import { visibleTexts } from "../../page/visible-texts.ts";
import { destinationOf, linksOf } from "../addresses.ts";

const folded = (text: string): string =>
  text
    .toLowerCase()
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replace(/\s+/g, " ");

/** The texts that the directives of an address search for (WICG, Text Fragments, 3.3.1). */
function* directivesOf(raw: string): Generator<{ directive: string; parts: string[] }> {
  const after = raw.split("#:~:")[1] ?? raw.split(":~:")[1] ?? "";
  for (const [directive, value = ""] of after.matchAll(/(?:^|&)text=([^&]*)/g)) {
    try {
      const parts = value
        .split(",")
        .map((part) => decodeURIComponent(part.replace(/^(.*)-$|^-(.*)$/, "$1$2")))
        .filter((part) => part.trim() !== "");
      yield { directive: directive.replace(/^&/, ""), parts };
    } catch {
      // With a malformed percent escape, browsers don't search.
    }
  }
}

const texts = new WeakMap<Page, string>();

function wordsOf(page: Page): string {
  // Any markup may separate words: try the pieces with and without a space between them.
  const pieces = visibleTexts(page).map(({ text }) => text);
  const found = texts.get(page) ?? folded(`${pieces.join("")} ${pieces.join(" ")}`);
  texts.set(page, found);
  return found;
}

/** Reports a link to text that the page no longer contains: browsers show the page from the top. */
export const linkTextFragmentMiss: Check = {
  id: "link.text-fragment-miss",
  category: "links",
  severity: "notice",
  *run(page, site) {
    for (const { element, raw, target } of linksOf(page, site)) {
      if (target.kind !== "inside" || !raw.includes(":~:text=")) continue;
      const arrival = destinationOf(site, target);
      // A redirect with its own fragment drops the text directive.
      if (!arrival || arrival.fragment !== target.fragment) continue;
      const { entry } = arrival;
      const other = entry.path === page.path ? page : site.page(entry.path);
      if (!other) continue;
      const words = wordsOf(other);
      for (const { directive, parts } of directivesOf(raw)) {
        if (parts.every((part) => words.includes(folded(part).trim()))) {
          continue;
        }
        yield {
          target: `${entry.path}#:~:${directive}`,
          at: element,
          evidence: {
            directive,
            textHash: createHash("sha256").update(words).digest("hex").slice(0, 16),
          },
          message: `The link ${quote(textOf(element))} leads to text that isn’t on ${entry.path}.`,
        };
      }
    }
  },
};
