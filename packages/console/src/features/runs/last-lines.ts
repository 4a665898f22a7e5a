/**
 * The agent's text without the final lines for the program: the commit's subject, and the label of
 * its summary.
 */
export function withoutLastLines(text: string): string {
  return text
    .replace(/(?:^|\n)[\s*_]*Commit:.*\s*$/i, "")
    .replace(/(^|\n)[ *_]*Summary:[*_]*[ \t]*(?=.*\s*$)/i, "$1")
    .trimEnd();
}
