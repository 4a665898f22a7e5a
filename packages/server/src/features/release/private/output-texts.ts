import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import {
  decodeEscapes,
  type NormalizedText,
  normalizeText,
  withoutTags,
} from "./normalized-text.ts";
import { pdfText } from "./pdf-text.ts";
import { UnreadableFile } from "./unreadable-file.ts";

/** No file of a site except media is larger; beyond that, a person has to look. */
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

/** The words of a PDF as shown by a viewer, and those in its bytes that no page shows any more. */
async function* pdfTexts(data: Buffer): AsyncGenerator<NormalizedText> {
  yield normalizeText(pdfText(data));
  // Loaded with the first PDF, because it takes as long as all other comparing.
  const { pdfPages } = await import("./pdf-pages.ts");
  yield normalizeText(await pdfPages(data));
}

/** A file of a site, and what its manifest says of it. */
export interface OutputFile {
  file: string;
  bytes: number;
  hash: string;
}

/**
 * The texts in any file of a site: its raw text, including attributes and scripts, and for markup
 * the text between tags, also for markup in JSON and feeds. The search index is unpacked and PDFs
 * are parsed. Throws UnreadableFile. `onDamaged` is called if it has other bytes than the manifest says.
 */
export async function* outputTexts(
  { file, bytes, hash: wanted }: OutputFile,
  onDamaged: () => void,
): AsyncGenerator<NormalizedText> {
  if (bytes > maxBytes) throw new UnreadableFile("It is too large.");
  const stored = readFileSync(file);
  if (hash("sha256", stored) !== wanted) onDamaged();
  const data = unpacked(stored);
  if (data.subarray(0, 5).toString("latin1") === "%PDF-") yield* pdfTexts(data);
  const text = decode(data);
  const decoded = decodeEscapes(text);
  yield normalizeText(decoded);
  if (text.includes("<")) yield normalizeText(decodeEscapes(withoutTags(text)));
  // Markup inside markup, as in feeds, has its own character references.
  if (decoded !== text && decoded.includes("<"))
    yield normalizeText(decodeEscapes(withoutTags(decoded)));
}
