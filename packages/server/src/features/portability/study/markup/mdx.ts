import { scanOf, skipTo } from "../../data/js-scan.ts";
import { imageMarkdown, type MarkupContext, mediaInExpression } from "./markup-context.ts";

const importStatement =
  /^import\s+(?:type\s+)?(?:(?:([A-Za-z_$][\w$]*)|\*\s+as\s+[\w$]+|\{[^}]{0,1000}\})(?:\s*,\s*\{[^}]{0,1000}\})?\s+from\s+)?["']([^"'\n]+)["'];?[ \t]*$/gm;

/** Where the text in quotation marks that begins at `start` closes; `start` for an apostrophe. */
function closeOfText(text: string, start: number, end: number): number {
  const mark = text[start];
  for (let at = start + 1; at < end; at += 1) {
    if (text[at] === mark) return at;
    if (text[at] === "\n" && mark !== "`") break;
  }
  return start;
}

/** Where braces that open at `start` close, strings left aside; -1 where they don't within 20,000 characters. */
export function endOfBraces(text: string, start: number): number {
  const end = Math.min(text.length, start + 20_000);
  let depth = 0;
  for (let at = start; at < end; at += 1) {
    const character = text[at] ?? "";
    if (character === "{") depth += 1;
    else if (character === "}") {
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth > 0 && (character === '"' || character === "'" || character === "`"))
      at = closeOfText(text, at, end);
  }
  return -1;
}

/** What a statement continues after, at the end of a line. */
const unfinished = /(?:[=,(?:+&|]|=>)\s*$/;

/**
 * Where the statement that begins at `start` ends. If its brackets don't close, a blank line ends it:
 * nothing that people wrote may be lost with it.
 */
function endOfStatement(text: string, start: number): number {
  const scan = scanOf(text);
  let at = start;
  for (let lines = 0; lines < 1000; lines += 1) {
    at = skipTo(scan, at, ";\n");
    if (at >= text.length || !/[;\n]/.test(text[at] ?? "")) break;
    if (text[at] === ";") return at + 1;
    if (!unfinished.test(text.slice(Math.max(start, at - 200), at))) return at;
    at += 1;
  }
  const blank = text.indexOf("\n\n", start);
  const isClosed =
    at >= text.length && !/\n\n(?:#{1,6} |[-*] |[A-Z][^\n;{}=]{40})/.test(text.slice(start));
  return isClosed || blank < 0 ? text.length : blank;
}

/** Takes out what an MDX file imports and exports; gives the names of imported files. */
export function takeModules(source: string): { text: string; imports: Map<string, string> } {
  const imports = new Map<string, string>();
  const text = source.replace(importStatement, (_whole, name: string | undefined, from: string) => {
    if (name !== undefined) imports.set(name, from);
    return "";
  });
  const opening =
    /^export\s+(?:(?:const|let|var|default|function|async|class|type|interface)\b|[{*])/gm;
  const parts: string[] = [];
  let at = 0;
  for (let count = 0; count < 50; count += 1) {
    opening.lastIndex = at;
    const found = opening.exec(text);
    if (found === null) break;
    parts.push(text.slice(at, found.index));
    at = endOfStatement(text, found.index);
  }
  return { text: parts.join("") + text.slice(at), imports };
}

/** What an expression in the text of an MDX file shows. */
function shownBy(expression: string, context: MarkupContext): string {
  const inner = expression.slice(1, -1).trim();
  if (inner === "" || /^\/\*[\s\S]*\*\/$/.test(inner)) return "";
  const quoted = /^(["'`])([^"'`]*)\1$/.exec(inner)?.[2];
  if (quoted !== undefined && !quoted.includes("${")) return quoted;
  const images = mediaInExpression(inner, context);
  if (images.length > 0) {
    return `\n\n${images.map((address) => imageMarkdown(address)).join("\n\n")}\n\n`;
  }
  context.leaveOut("{…}");
  return "";
}

/** Turns the expressions in braces of an MDX file into text; those in tags are left to the tags. */
export function convertExpressions(text: string, context: MarkupContext): string {
  let result = "";
  let at = 0;
  for (let failed = 0; failed < 100;) {
    const start = text.indexOf("{", at);
    if (start < 0) break;
    const end = text[start - 1] === "\\" ? -1 : endOfBraces(text, start);
    if (end < 0) {
      failed += 1;
      result += text.slice(at, start + 1);
      at = start + 1;
      continue;
    }
    result += text.slice(at, start) + shownBy(text.slice(start, end), context);
    at = end;
  }
  return result + text.slice(at);
}
