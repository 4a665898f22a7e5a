import { type Check, quote } from "../../check.ts";
import { attribute, closest, isElement, isHidden, isText, nodesBelow } from "../../page/dom.ts";

/** Words that stand where the real ones should. Each must be rare in good text. */
const placeholders: readonly RegExp[] = [
  /\blorem ipsum\b/i,
  /\bdolor sit amet\b/i,
  /(?:^|\s)(?:TODO|FIXME|TBD|XXX)(?:\b:?)(?=\s|$)/,
  /\{\{\s*[\w.]+\s*\}\}/,
  /\$\{[\w.]+\}/,
  /\[object Object\]/,
  /^\s*(?:undefined|null|NaN|Invalid Date)\s*$/,
  /\b(?:Invalid Date|undefined undefined)\b/,
  /\b(?:your (?:text|title|name|headline|company name) here|insert (?:text|title|name) here|placeholder text|example text|sample text here|click here to edit|(?:replace|edit) this text)\b/i,
];
const code = new Set(["code", "pre", "kbd", "samp", "q", "blockquote"]);

/** Text that was meant to be replaced. */
export const textPlaceholder: Check = {
  id: "text.placeholder",
  category: "content",
  severity: "warning",
  *look(page) {
    const body = page.first("body");
    for (const node of body ? nodesBelow(body) : []) {
      if (!isText(node) || !isElement(node.parent)) continue;
      const found = placeholders.map((pattern) => pattern.exec(node.data)).find((match) => match);
      if (!found || isHidden(node.parent) || closest(node.parent, ({ name }) => code.has(name)))
        continue;
      const word = found[0].trim();
      yield {
        target: word,
        at: node.parent,
        message: `${quote(node.data)} looks like a placeholder.`,
      };
    }
    for (const image of page.all("img")) {
      const alt = attribute(image, "alt") ?? "";
      const found = placeholders.map((pattern) => pattern.exec(alt)).find((match) => match);
      if (found)
        yield {
          target: found[0].trim(),
          at: image,
          message: `The alternative text ${quote(alt)} looks like a placeholder.`,
        };
    }
  },
};
