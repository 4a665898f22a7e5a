import { imageMarkdown, type MarkupContext, mediaInExpression } from "./markup-context.ts";

const importStatement =
  /^import\s+(?:(?:([A-Za-z_$][\w$]*)|\*\s+as\s+[\w$]+|\{[^}]{0,1000}\})(?:\s*,\s*\{[^}]{0,1000}\})?\s+from\s+)?["']([^"'\n]+)["'];?[ \t]*$/gm;

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
    } else if (depth > 0 && (character === '"' || character === "'" || character === "`")) {
      const line = character === "`" ? end : text.indexOf("\n", at);
      const close = text.indexOf(character, at + 1);
      // An apostrophe of a text is no quotation mark.
      if (close > 0 && close < end && (line < 0 || close < line)) at = close;
    }
  }
  return -1;
}

/** Takes out what an MDX file imports and exports; gives the names of imported files. */
export function takeModules(source: string): { text: string; imports: Map<string, string> } {
  const imports = new Map<string, string>();
  let text = source.replace(importStatement, (_whole, name: string | undefined, from: string) => {
    if (name !== undefined) imports.set(name, from);
    return "";
  });
  const opening = /^export\s+(?:const|let|var|default|function|async)\b[^\n]*/m;
  for (let count = 0; count < 50; count += 1) {
    const found = opening.exec(text);
    if (found === null) break;
    const blank = text.indexOf("\n\n", found.index);
    const brace = found[0].indexOf("{");
    const close = brace < 0 ? -1 : endOfBraces(text, found.index + brace);
    const end = close > 0 ? close : blank < 0 ? text.length : blank;
    text = text.slice(0, found.index) + text.slice(end).replace(/^[^\S\n]*[;)\]]*;?/, "");
  }
  return { text, imports };
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
