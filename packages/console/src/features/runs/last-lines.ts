/**
 * What the agent says, without what it ends with for the machine: the line with the commit's
 * subject, and the word before its summary.
 */
export function withoutLastLines(text: string): string {
  return text
    .replace(/(?:^|\n)[\s*_]*Commit:.*\s*$/i, "")
    .replace(/(^|\n)[ *_]*Summary:[*_]*[ \t]*(?=.*\s*$)/i, "$1")
    .trimEnd();
}
