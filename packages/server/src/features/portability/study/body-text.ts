import type { StudyFile } from "../folder/studies.ts";
import type { FrontMatter } from "./front-matter.ts";
import type { FrontMatterReader } from "./front-matter-reader.ts";
import { takeEmbeddedImages } from "./markup/embedded-images.ts";
import { toMarkdown } from "./markup/to-markdown.ts";

/** The longest text that is taken over, in characters: addresses in it may become longer. */
const maxBodyLength = 48_000;
/** Of the text as it is written, which markup makes longer. */
const maxSourceLength = 96_000;

/** The text as Markdown; what Markdown can't hold is reported. */
export function convertBody(
  frontMatter: FrontMatterReader,
  front: FrontMatter,
  { path }: StudyFile,
  isThere: (address: string) => boolean,
): FrontMatter & { isConverted: boolean } {
  const { text: whole, count } = takeEmbeddedImages(front.body);
  const source = whole.slice(0, maxSourceLength);
  const converted = toMarkdown(source, { name: path, values: front.values, isThere });
  const embedded =
    count === 0 ? [] : [count === 1 ? "an embedded image" : `${count} embedded images`];
  const leftOut = [...embedded, ...converted.leftOut];
  if (leftOut.length > 0) {
    const what = leftOut.join(", ");
    frontMatter.reportAt(null, `left out of the text: ${what}`, "warning");
  }
  let { text } = converted;
  if (text.length > maxBodyLength) {
    const end = text.lastIndexOf("\n\n", maxBodyLength);
    text = text.slice(0, end > 0 ? end : maxBodyLength);
    const message = `its text has more than ${maxBodyLength} characters, so the rest is left out`;
    frontMatter.reportAt(null, message, "warning");
  }
  const isConverted = converted.isChanged || count > 0;
  return { ...front, body: text, isConverted };
}

/** A heading that says the title once more goes: the page has it already. */
export function withoutTitle(body: string, name: string | undefined): string {
  const found = /^\s*#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*(?:\n|$)/.exec(body);
  const isSame = found?.[1]?.trim().toLowerCase() === name?.trim().toLowerCase();
  return found !== null && isSame ? body.slice(found[0].length) : body;
}
