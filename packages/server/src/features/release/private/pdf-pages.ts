import { getDocumentProxy } from "unpdf";
import { UnreadableFile } from "./unreadable-file.ts";

type Document = Awaited<ReturnType<typeof getDocumentProxy>>;
type Page = Awaited<ReturnType<Document["getPage"]>>;

/** Maximum depth of lists and objects in a PDF. */
const maxDepth = 20;

/** All texts in an object from PDF.js. */
function* textsIn(value: unknown, depth = 0): Generator<string> {
  if (typeof value === "string") yield value;
  else if (value instanceof Uint8Array) yield new TextDecoder().decode(value);
  else if (typeof value === "object" && value !== null && depth < maxDepth) {
    const parts = value instanceof Map ? value.values() : Object.values(value);
    for (const part of parts) yield* textsIn(part, depth + 1);
  }
}

async function textsOfPage(page: Page): Promise<string[]> {
  const { items } = await page.getTextContent();
  const drawn = items.map((item) => ("str" in item ? item.str : "")).join("");
  const [notes, structure] = [await page.getAnnotations(), await page.getStructTree()];
  page.cleanup();
  return [drawn, ...textsIn(notes), ...textsIn(structure)];
}

async function textsOf(document: Document): Promise<string[]> {
  const { info, metadata } = await document.getMetadata();
  const about = [info, metadata?.getRaw(), await document.getOutline()];
  const texts = [...textsIn(about), ...textsIn(await document.getAttachments())];
  for (let number = 1; number <= document.numPages; number += 1) {
    texts.push(...(await textsOfPage(await document.getPage(number))));
  }
  return texts;
}

/**
 * The words of a PDF as shown by a viewer: what its pages draw, whatever their fonts, and its
 * links, notes, form fields, bookmarks, attachments, and description. Empty if no viewer can open
 * it. Throws UnreadableFile if it has a password.
 */
export async function pdfPages(bytes: Uint8Array): Promise<string> {
  try {
    // The function takes ownership of the bytes, so they are copied.
    const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
    const texts = await textsOf(document);
    await document.loadingTask.destroy();
    return texts.join("\n");
  } catch (cause) {
    const { name } = cause as Error;
    if (name === "PasswordException") throw new UnreadableFile("It has a password.", { cause });
    if (name === "InvalidPDFException") return "";
    throw new UnreadableFile("It can’t be read as a PDF.", { cause });
  }
}
