import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { decodeEscapes, type Letters, lettersOf, withoutTags } from "./letters.ts";
import { pdfText } from "./pdf-text.ts";
import { UnreadableFile } from "./unreadable-file.ts";

/** No file of a site but media is as large; beyond it a person has to look. */
const maxBytes = 64 * 1024 * 1024;

function unpacked(bytes: Buffer): Buffer {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes });
  } catch (cause) {
    throw new UnreadableFile("It can’t be unpacked.", { cause });
  }
}

function decode(bytes: Buffer): string {
  const utf16 = { fffe: "utf-16le", feff: "utf-16be" }[bytes.subarray(0, 2).toString("hex")];
  return new TextDecoder(utf16 ?? "utf-8").decode(bytes);
}

/** A PDF's words as a viewer reads them, and those in its bytes that no page shows any more. */
async function* pdfTexts(data: Buffer): AsyncGenerator<Letters> {
  yield lettersOf(pdfText(data));
  // Loaded with the first PDF: it takes as long as all other comparing.
  const { pdfPages } = await import("./pdf-pages.ts");
  yield lettersOf(await pdfPages(data));
}

/**
 * What can be read in a file of a site, whatever it is: its text as it stands, with attributes and
 * scripts, and for markup what stands between the tags, also of markup in JSON and feeds. The search
 * index is unpacked and a PDF is read. Throws UnreadableFile.
 */
export async function* outputTexts(file: string, bytes: number): AsyncGenerator<Letters> {
  if (bytes > maxBytes) throw new UnreadableFile("It is too large.");
  const data = unpacked(readFileSync(file));
  if (data.subarray(0, 5).toString("latin1") === "%PDF-") yield* pdfTexts(data);
  const text = decode(data);
  const decoded = decodeEscapes(text);
  yield lettersOf(decoded);
  if (text.includes("<")) yield lettersOf(decodeEscapes(withoutTags(text)));
  // Markup in a text of markup, as in feeds, has references of its own.
  if (decoded !== text && decoded.includes("<"))
    yield lettersOf(decodeEscapes(withoutTags(decoded)));
}
