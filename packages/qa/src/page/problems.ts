import type { ParserError } from "parse5";

/** A place where a page's markup is not what it was meant to be. */
export interface ParseProblem {
  /** As the HTML standard calls it (13.2.2). */
  code: string;
  /** From 1. */
  line: number;
  column: number;
  /** The markup around it, on one line. */
  snippet: string;
}

/**
 * The errors of the standard after which a browser shows something else than was written. All others
 * are fixed without a trace, and nobody needs to hear of them.
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

/** Whether the text at an error shows that it did no harm. */
function isHarmless(code: string, text: string, at: number): boolean {
  // `<3` is shown as it is; what `</3>` says is lost.
  if (code === "invalid-first-character-of-tag-name") return text[at - 1] !== "/";
  // An address may well have a = or a ` in it; a quote there means that one is missing before it.
  if (code === "unexpected-character-in-unquoted-attribute-value")
    return !/["'<]/.test(text[at] ?? "");
  // The first line of XHTML.
  if (code === "unexpected-question-mark-instead-of-tag-name")
    return /^<?\?xml\b/.test(text.slice(at, at + 6)) && text.slice(0, at).trim().length <= 1;
  return false;
}

/** Keeps what is told of a page's markup while it is read. */
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
