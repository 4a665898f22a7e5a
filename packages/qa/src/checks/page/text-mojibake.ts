import { type Check, quote } from "../../check.ts";
import { visibleTexts } from "../../page/visible-texts.ts";

/** UTF-8 read as Windows-1252: é as Ã©, ’ as â€™; and the sign for what could not be read. */
const broken = /Ã[\u0080-\u00bf¡-¿]|â€[\u2018-\u201d\u2122œ\u009d™]|Â[\u00a0-\u00bf]|\ufffd/;

/** The sign for what could not be read, in quotation marks or brackets: it is spoken of. */
const spokenOf = /(?<=["“‘'(«])\ufffd(?=["”’')»])/g;

/** That sign as a word of its own: a dash that was lost, or the sign itself, of which a text may speak. */
const isAlone = (text: string, at: number): boolean =>
  text[at] === "\ufffd" && !/[\p{L}\p{N}]/u.test(`${text[at - 1] ?? ""}${text[at + 1] ?? ""}`);

/** One of these is in each, and in hardly any other text. */
const signatures = /[ÃâÂ\ufffd]/;

/** Letters that were read in the wrong encoding. */
export const textMojibake: Check = {
  id: "text.mojibake",
  category: "content",
  severity: "warning",
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
