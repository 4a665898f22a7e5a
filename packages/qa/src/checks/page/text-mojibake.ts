import { type Check, quote } from "../../check.ts";
import { visibleTexts } from "../../page/visible-texts.ts";

/** UTF-8 decoded as Windows-1252: é as Ã©, ’ as â€™; and the replacement character. */
const broken = /Ã[\u0080-\u00bf¡-¿]|â€[\u2018-\u201d\u2122œ\u009d™]|Â[\u00a0-\u00bf]|\ufffd/;

/** The replacement character in quotation marks or brackets: the text is about it. */
const spokenOf = /(?<=["“‘'(«])\ufffd(?=["”’')»])/g;

/**
 * Whether the replacement character is a word of its own: a lost dash, or the character itself in a
 * text about it.
 */
const isAlone = (text: string, at: number): boolean =>
  text[at] === "\ufffd" && !/[\p{L}\p{N}]/u.test(`${text[at - 1] ?? ""}${text[at + 1] ?? ""}`);

/** Every broken text has one of these, and hardly any other text does. */
const signatures = /[ÃâÂ\ufffd]/;

/** Reports text that was decoded with the wrong encoding. */
export const textMojibake: Check = {
  id: "text.mojibake",
  category: "content",
  severity: "warning",
  byElement: true,
  *run(page) {
    for (const { text, parent, quoted } of visibleTexts(page)) {
      if (quoted) continue;
      const found = signatures.test(text) ? broken.exec(text.replace(spokenOf, "?")) : null;
      if (!found) continue;
      const around = text.slice(Math.max(0, found.index - 20), found.index + 20);
      yield {
        target: found[0],
        at: parent,
        ...(isAlone(found.input, found.index) && { severity: "notice", confidence: "review" }),
        evidence: { sequence: found[0], around: around.trim() },
        message: `${quote(around)} contains garbled characters.`,
      };
    }
  },
};
