import type { ParserError } from "parse5";

/** A place where a page's markup isn't what it was meant to be. */
export interface ParseProblem {
  /** The error's code in the HTML standard (13.2.2). */
  code: string;
  /** From 1. */
  line: number;
  column: number;
  /** The markup around it, on one line. */
  snippet: string;
}

/**
 * The standard's parse errors after which a browser renders something other than what was written.
 * All others are repaired without a trace and aren't reported.
 */
const reportedCodes = new Set([
  "duplicate-attribute",
  "eof-before-tag-name",
  "eof-in-comment",
  "eof-in-element-that-can-contain-only-text",
  "eof-in-tag",
  "invalid-first-character-of-tag-name",
  "missing-attribute-value",
  "missing-doctype",
  "non-void-html-element-start-tag-with-trailing-solidus",
  "unexpected-character-in-attribute-name",
  "unexpected-character-in-unquoted-attribute-value",
  "unexpected-equals-sign-before-attribute-name",
  "unexpected-question-mark-instead-of-tag-name",
]);

const maxProblems = 50;

/** Whether the text at an error shows that it is harmless. */
function isHarmless(code: string, text: string, at: number): boolean {
  // `<3` is rendered as written; the content of `</3>` is lost.
  if (code === "invalid-first-character-of-tag-name") return text[at - 1] !== "/";
  // An address may well contain = or `; a quotation mark means that one is missing before it.
  if (code === "unexpected-character-in-unquoted-attribute-value")
    return !/["'<]/.test(text[at] ?? "");
  // The first line of XHTML.
  if (code === "unexpected-question-mark-instead-of-tag-name")
    return /^<?\?xml\b/.test(text.slice(at, at + 6)) && text.slice(0, at).trim().length <= 1;
  return false;
}

/** Collects the parse errors of a page. */
export function makeProblems(text: string): {
  problems: ParseProblem[];
  onParseError(error: ParserError): void;
} {
  const problems: ParseProblem[] = [];
  return {
    problems,
    onParseError({ code, startLine, startCol, startOffset }) {
      if (!reportedCodes.has(code) || problems.length >= maxProblems) return;
      if (isHarmless(code, text, startOffset)) return;
      const snippet = text.slice(Math.max(0, startOffset - 30), startOffset + 50);
      problems.push({
        code,
        line: startLine,
        column: startCol,
        snippet: snippet.replace(/\s+/g, " ").trim(),
      });
    },
  };
}
