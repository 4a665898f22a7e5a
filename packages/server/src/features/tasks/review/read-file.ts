import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { ManifestFile } from "../../release/artifact/artifact.ts";
import { cleanAddress, noteAddress } from "./link-target.ts";
import { readData, unescapedJson } from "./data.ts";
import { decodeEntities } from "./entity.ts";
import { readMarkup } from "./markup.ts";
import { readStyle } from "./style.ts";
import { MarkupTooComplex } from "./tags.ts";
import { type ReadContext, shorten } from "./fingerprint.ts";

/** Maximum bytes of a file that are read. */
export const maxFileBytes = 4 * 1024 * 1024;

/** What a file is to a browser that opens or loads it. */
export type FileKind =
  | "page"
  | "xml"
  | "style"
  | "code"
  | "data"
  | "index"
  | "document"
  | "inert"
  | "unknown";

/** Parts of the search index, which the build generates from the pages' texts. */
const indexFile =
  /^pagefind\/(?:[0-9a-f]{32}\/)?(?:fragment\/\w+\.pf_fragment|index\/\w+\.pf_index|[\w.]+\.pf_meta)$/;

const inert =
  /^(?:image\/|audio\/|video\/|font\/|application\/(?:x-)?font|application\/vnd\.ms-fontobject$|text\/(?:plain|csv|markdown|vtt)$)/;

const indexMark = "pagefind_dcd";

/** The kind of a file, by the name that determines its type. */
export function kindOf({ type, file }: Pick<ManifestFile, "type" | "file">): FileKind {
  const essence = type.split(";")[0]?.trim() ?? "";
  if (essence === "text/html") return /\.html?$/i.test(file) ? "page" : "unknown";
  if (/[/+]xml$/.test(essence) || /\.(?:xslt?|svg)$/i.test(file)) return "xml";
  if (essence === "text/css") return "style";
  if (/(?:java|ecma)script|wasm/.test(essence) || /\.[cm]?js$/i.test(file)) return "code";
  if (/[/+]json$/.test(essence)) return "data";
  if (indexFile.test(file)) return "index";
  if (essence === "application/pdf") return "document";
  return inert.test(essence) ? "inert" : "unknown";
}

/**
 * A key for equal bytes under names with the same ending, which determines how servers treat them.
 */
export function fileContentKey({ file, hash }: Pick<ManifestFile, "file" | "hash">): string {
  return `file:${extname(file)}:${hash}`;
}

function noteWhole(what: string, entry: ManifestFile, place: ReadContext): void {
  place.sink({ kind: "unread", key: fileContentKey(entry), what });
}

/** XML that isn't a page or an SVG: feeds and site maps contain addresses in their texts, too. */
function readFeed(text: string, place: ReadContext): void {
  for (const [, address = ""] of text.matchAll(
    />\s*(?:<!\[CDATA\[\s*)?((?:[a-z][a-z0-9+.-]*:|\/\/)[^<\s\]]+)\s*(?:\]\]>\s*)?</gi,
  )) {
    const whole = cleanAddress(decodeEntities(address));
    if (/^(?:[a-z][a-z0-9+.-]*:)?\/\/|^(?:javascript|data|mailto):/i.test(whole)) {
      noteAddress(whole, "link", place);
    }
  }
  // The content of an entry is markup written as text.
  if (text.includes("&")) readMarkup(decodeEntities(text), place, { depth: 1 });
}

function readXml(text: string, entry: ManifestFile, place: ReadContext): void {
  const encoding = /^\ufeff?<\?xml[^>]*?encoding\s*=\s*["']([^"']*)/i.exec(text)?.[1];
  if (encoding !== undefined && !/^(?:utf-8|us-ascii)$/i.test(encoding)) {
    noteWhole(`a file in ${shorten(encoding)}`, entry, place);
  }
  if (/<!(?:ENTITY|ATTLIST|ELEMENT)|<!DOCTYPE[^>]*\[/i.test(text)) {
    noteWhole("a file with its own definitions (DOCTYPE)", entry, place);
  }
  for (const [pi] of text.matchAll(/<\?xml-stylesheet[^]*?(?:\?>|$)/gi)) {
    const what = `a style sheet that may transform it, “${shorten(pi)}”`;
    place.sink({ kind: "script", key: `transform:${shorten(pi)}`, what });
  }
  if (/\.xslt?$/i.test(entry.file) || text.includes("1999/XSL/Transform")) {
    const what = "a style sheet that transforms (XSLT)";
    place.sink({ kind: "script", key: `code:${entry.hash}`, what });
  }
  readMarkup(text, place, { xml: true });
  const drawn = /svg|xhtml/.test(entry.type);
  if (drawn && !/<(?:[\w-]+:)?(?:svg|html)[\s>]/i.test(text)) {
    noteWhole("a file whose content doesn't match its name", entry, place);
  }
  if (!drawn) readFeed(text, place);
}

/** What search engines check to verify a site's owner. */
const ownershipProof =
  /^[^<]{0,40}site-verification\s*:|^\s*<html>[^]{0,400}Verification:\s*[0-9a-f]{8}|<user>\s*[0-9a-f]{16}/i;

function readText(text: string, kind: FileKind, entry: ManifestFile, place: ReadContext): void {
  // With these bytes, some browsers read it as text in another encoding.
  if (text.includes("\0") || text.includes("\u001b")) {
    noteWhole("a file with control characters", entry, place);
  }
  if (ownershipProof.test(text)) {
    const what = "a file that lets someone claim ownership of the site";
    place.sink({ kind: "origin", key: `owner:${entry.hash}`, what });
  }
  if (kind === "page") readMarkup(text, place);
  else if (kind === "xml") readXml(text, entry, place);
  else if (kind === "style") readStyle(text, place);
  else if (kind === "data") {
    readData(text, place);
    readMarkup(unescapedJson(text), place, { depth: 1 });
  }
}

/**
 * Parts of a PDF that can act or hide something: actions, embedded files, object streams,
 * encryption.
 */
const actsInPdf =
  /\/(?:JavaScript|Launch|EmbeddedFile|ObjStm|Encrypt|RichMedia|SubmitForm|ImportData|GoTo[RE]|XFA|Rendition|Movie|Sound)\b/;

/** Names with letters written as numbers. Compressed data can contain some by chance. */
const escapedName = /\/[^\s()<>[\]{}/%#]*#[^\s()<>[\]{}/%]*/g;

/** The first name that acts or links and is disguised by escapes. */
function disguisedName(text: string): string | undefined {
  const plain = (name: string) =>
    name.replace(/#([0-9a-f]{2})/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
  const names = text.match(escapedName) ?? [];
  return names.find((name) => actsInPdf.test(plain(name)) || /\/URI\b/.test(plain(name)));
}

/** An address in parentheses; those inside it may be escaped with a backslash. */
const addressInPdf = /\/URI\b(?!\s*\/|\s*>>)(?:\s*\(((?:[^()\\]|\\[()\\])*)\))?/g;

/**
 * Reads a PDF (ISO 32000) without compressed objects, in which everything that it can link to is
 * visible.
 */
function readDocument(text: string, entry: ManifestFile, place: ReadContext): void {
  if (!text.startsWith("%PDF-"))
    return noteWhole("a file that isn't a PDF, although its type says so", entry, place);
  const acts = actsInPdf.exec(text)?.[0] ?? disguisedName(text);
  if (acts !== undefined) return noteWhole(`a PDF with “${shorten(acts)}”`, entry, place);
  for (const [, address] of text.matchAll(addressInPdf)) {
    if (address === undefined) return noteWhole("a PDF with a hidden address", entry, place);
    noteAddress(address.replace(/\\([()\\])/g, "$1"), "link", place);
  }
}

/**
 * Reads a part of the search index that only Pagefind's own code reads: words and counts, or the
 * excerpt and address of one page, as JSON.
 */
function readIndex(bytes: Buffer, entry: ManifestFile, place: ReadContext): void {
  const text = gunzipSync(bytes, { maxOutputLength: maxFileBytes }).toString("utf8");
  if (!text.startsWith(indexMark))
    return noteWhole("a search index of an unknown kind", entry, place);
  const indexText = text.slice(indexMark.length);
  if (entry.file.endsWith(".pf_fragment")) readText(indexText, "data", entry, place);
}

/**
 * Records what a file of a site adds, or that it can't be read within the limits. `dir` is the
 * folder of its site.
 */
export function readFile(entry: ManifestFile, dir: string, place: ReadContext): void {
  const kind = kindOf(entry);
  if (/^\/\.well-known\//i.test(place.path)) {
    const what = "a file that applies to the whole site (.well-known)";
    place.sink({ kind: "origin", key: `well-known:${place.path}:${entry.hash}`, what });
  }
  if (kind === "inert") return;
  if (kind === "code") {
    place.sink({ kind: "script", key: `code:${entry.hash}`, what: "a script file" });
    return;
  }
  if (kind === "unknown") return noteWhole("a file of an unknown kind", entry, place);
  if (entry.bytes > maxFileBytes) return noteWhole("a file that is too large", entry, place);
  try {
    const bytes = readFileSync(join(dir, entry.file));
    if (kind === "index") return readIndex(bytes, entry, place);
    if (kind === "document") return readDocument(bytes.toString("latin1"), entry, place);
    const mark = bytes.readUInt16BE.bind(bytes);
    if (bytes.length > 1 && (mark(0) === 0xfe_ff || mark(0) === 0xff_fe)) {
      return noteWhole("a file in UTF-16", entry, place);
    }
    readText(bytes.toString("utf8"), kind, entry, place);
  } catch (error) {
    const why = error instanceof MarkupTooComplex ? `: ${error.message}` : "";
    noteWhole(`a file that can't be read${why}`, entry, place);
  }
}
