import { Marked } from "marked";
import type { MarkdownEdit } from "../literal/markdown-edit.ts";

/*
 * Where a text of a page stands in its Markdown. As with links, nothing is taken from the look of the
 * source: a place counts when the source with this one place rewritten makes the same page but for
 * just that text. So links, emphasis and lists around it stay as they are.
 */

/** So many places that look alike are tried in one text; each means parsing it again. */
const maxTries = 60;

/** White space of any length reads as one space. */
export const onOneLine = (text: string): string => text.replace(/[\s\u00a0]+/g, " ").trim();

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

const decoded = (html: string): string =>
  html.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity);

/** Texts and tags of the page that a source makes, in turn, beginning with a text; null where it makes none. */
function piecesOf(source: string): string[] | null {
  // HTML in a record is shown as text, so all tags here are the parser's own.
  const marked = new Marked({
    gfm: true,
    renderer: { html: ({ text }) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;") },
  });
  try {
    return marked.parse(source, { async: false }).split(/(<[^>]*>)/);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Which of the texts say this. */
function matching(pieces: readonly string[], wanted: string): number[] {
  return pieces.flatMap((piece, at) =>
    at % 2 === 0 && onOneLine(decoded(piece)) === wanted ? [at] : [],
  );
}

/** The source on one line, and where each of its characters begins. */
function collapsed(source: string): { text: string; offsets: number[] } {
  let text = "";
  const offsets: number[] = [];
  for (const { 0: piece, index } of source.matchAll(/[\s\u00a0]+|[^\s\u00a0]/gu)) {
    const shown = /^[\s\u00a0]/.test(piece) ? " " : piece;
    for (let i = 0; i < shown.length; i += 1) offsets.push(index + i);
    text += shown;
  }
  offsets.push(source.length);
  return { text, offsets };
}

/** Where these words stand in the source, in order. */
function occurrences(source: string, wanted: string): { start: number; end: number }[] {
  const { text, offsets } = collapsed(source);
  const found: { start: number; end: number }[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const last = offsets[at + wanted.length - 1] ?? 0;
    found.push({ start: offsets[at] ?? 0, end: last + 1 });
    if (found.length > maxTries) break;
  }
  return found;
}

const escaped = (text: string): string =>
  text.replace(/[\\`*_[\]<>&~|#!]|(?<=^\d+)[.)]|^[-+=]/g, "\\$&");

/** Which text of the page changes to `after` by an edit, and nothing else; null where it isn't so. */
function changedPiece(
  source: string,
  before: readonly string[],
  edit: MarkdownEdit,
  after: string,
): number | null {
  const made = piecesOf(source.slice(0, edit.start) + edit.text + source.slice(edit.end));
  if (made === null || made.length !== before.length) return null;
  const changed = made.flatMap((piece, at) => (piece === before[at] ? [] : [at]));
  const [at] = changed;
  if (changed.length !== 1 || at === undefined || at % 2 === 1) return null;
  return onOneLine(decoded(made[at] ?? "")) === after ? at : null;
}

/** The edits by which a text on the page says something else; one for each place, in their order. */
export function findMarkdownText(source: string, before: string, after: string): MarkdownEdit[] {
  const tries = occurrences(source, before);
  if (tries.length === 0 || tries.length > maxTries) return [];
  const pieces = piecesOf(source);
  if (pieces === null) return [];
  const open = new Set(matching(pieces, before));
  const edits: MarkdownEdit[] = [];
  for (const place of tries) {
    if (open.size === 0) break;
    for (const text of new Set([after, escaped(after)])) {
      const edit = { ...place, text };
      const at = changedPiece(source, pieces, edit, after);
      if (at === null || !open.delete(at)) continue;
      edits.push(edit);
      break;
    }
  }
  return edits;
}
