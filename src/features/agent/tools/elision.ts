import { ToolRefusal } from "./refusal.ts";

/** What models write in place of code they don't repeat. */
const placeholders = [
  /(?:\.{3}[ \t(]+|…[ \t(]*)(?:the\s+)?(?:rest|remaining|existing|unchanged)\b/i,
  /\b(?:rest|remainder)\s+of\s+(?:the\s+|your\s+)?(?:file|code|component|page|content|markup|styles?)\b[^.\n]{0,40}\b(?:unchanged|same|here|as before)\b/i,
  /\b(?:existing|previous|unchanged|remaining)\s+(?:code|content|markup|styles?|imports?)\s*(?:here|unchanged|\.{3}|…)/i,
  /(?:\/\/|\/\*|<!--|#)\s*(?:\.{3}|…)\s*(?:\*\/|-->|$)/m,
];

const longFile = 40;
const mostRemoved = 0.6;

function countLines(text: string): number {
  return text === "" ? 0 : text.split("\n").length;
}

/**
 * Refuses a text that stands for more than it says ("… rest unchanged"), unless the file already had
 * that phrase, and one that drops most of a long file unless `confirm` says it is meant.
 * @param written the part the model wrote: the whole file, or the replacement
 * @param after the file as it would be
 */
export function assertWhole(
  before: string | null,
  written: string,
  after: string,
  confirm: boolean,
): void {
  if (confirm) return;
  for (const pattern of placeholders) {
    const found = pattern.exec(written)?.[0];
    if (found !== undefined && !(before ?? "").includes(found)) {
      throw new ToolRefusal(
        "bad_input",
        `“${found.trim()}” looks like a stand-in for text left out. Write the text itself, or use edit for a part of the file; set confirm if the site is to say just that.`,
      );
    }
  }
  if (before === null || countLines(before) <= longFile) return;
  const kept = countLines(after) / countLines(before);
  if (kept < 1 - mostRemoved) {
    throw new ToolRefusal(
      "bad_input",
      `This would drop ${Math.round((1 - kept) * 100)} % of ${countLines(before)} lines. Use edit for a part of the file, or set confirm if it is meant.`,
    );
  }
}
