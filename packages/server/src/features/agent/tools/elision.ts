import { ToolRefusal } from "./refusal.ts";

const dots = String.raw`(?:\.{3}|…)`;

/** What models write in place of code that they don't repeat, anywhere in a text. */
const placeholders = [
  new RegExp(
    String.raw`(?:\.{3}[ \t(]+|…[ \t(]*)(?:the\s+)?(?:rest|remaining|existing|unchanged|same as)\b`,
    "i",
  ),
  /\b(?:rest|remainder)\s+of\s+(?:the\s+|your\s+)?(?:file|code|component|page|content|markup|styles?|sections?)\b[^.\n]{0,40}\b(?:unchanged|same|here|as before|omitted)\b/i,
  /\b(?:existing|previous|unchanged|remaining)\s+(?:code|content|markup|styles?|imports?)\s*(?:here|unchanged|\.{3}|…)/i,
  /[[(<]\s*(?:(?:\.{3}|…)\s*)?(?:unchanged|same as (?:before|above)|as before|omitted|snip(?:ped)?|truncated|rest unchanged|content omitted)\s*(?:(?:\.{3}|…)\s*)?[\])>]/i,
  // A line that contains only dots, alone, in brackets, or quoted as JSON.
  new RegExp(String.raw`^[ \t]*(?:[[{(]\s*)?["']?${dots}["']?(?:\s*[\]})])?,?[ \t]*$`, "m"),
];

/** How comments begin in HTML, CSS, JavaScript, and Astro, and lines that begin with a hash. */
const commentStart = /<!--|\/\*|(?:^|[\s;{}])\/\/(.*)$|^[ \t]*#(?!\w)(.*)$/gm;
const commentEnds: Record<string, string> = { "<!--": "-->", "/*": "*/" };
const maxPlaceholderLength = 120;

/**
 * The comments of a text. The end of each kind is searched for once; otherwise, a text with nothing
 * but beginnings would be searched to its end for each of them.
 */
function* commentsIn(text: string): Generator<{ comment: string; text: string }> {
  const endless = new Set<string>();
  const start = new RegExp(commentStart);
  for (let match = start.exec(text); match; match = start.exec(text)) {
    const [opening, line, hash] = match;
    const end = commentEnds[opening];
    if (end === undefined) {
      yield { comment: opening, text: line ?? hash ?? "" };
      continue;
    }
    if (endless.has(opening)) continue;
    const at = text.indexOf(end, start.lastIndex);
    if (at < 0) {
      endless.add(opening);
      continue;
    }
    const comment = text.slice(start.lastIndex, at);
    yield { comment: opening + comment + end, text: comment };
    start.lastIndex = at + end.length;
  }
}

/** Comments that stand for omitted code, in the languages that models write. */
const placeholderPatterns = [
  new RegExp(String.raw`^\W*${dots}\W*$`),
  /\b(?:unchanged|unmodified|untouched|no changes?|same as (?:before|above|original)|as before|omitted(?: for brevity)?|for brevity|truncated|snip(?:ped)?)\b/i,
  /\b(?:rest|remaining|remainder|other|existing|previous|original)\b.{0,40}\b(?:here|stays?|remains?|goes?|continues?|below|sections?|code|content|markup|styles?|rules|imports|items|unchanged|same)\b/i,
  /\b(?:your|more) (?:code|content|markup|styles?|items)\b.{0,10}\bhere\b/i,
  /\bkeep (?:the )?(?:rest|existing|everything)\b/i,
  /\b(?:unver[äa]ndert|wie (?:zuvor|bisher|vorher|oben)|der rest|restlicher?)\b/i,
  /\b(?:inchang[ée]e?s?|comme avant|le reste)\b|reste du (?:code|fichier)/i,
  /\b(?:sin cambios|igual que antes|el resto|sem altera[çc][õo]es|o restante|invariato|il resto|of[öo]r[äa]ndra[td]|resten|ongewijzigd)\b/i,
  /不变|省略|以下同|変更なし|без изменений|остальн/i,
];

const longFileLines = 40;
const longText = 4000;
const maxRemovedShare = 0.6;

function countLines(text: string): number {
  return text === "" ? 0 : text.split("\n").length;
}

function placeholderIn(written: string): string[] {
  const found = placeholders.flatMap((pattern) => pattern.exec(written)?.[0] ?? []);
  for (const { comment: whole, text: comment } of commentsIn(written)) {
    if (comment.length > maxPlaceholderLength) continue;
    if (placeholderPatterns.some((pattern) => pattern.test(comment))) found.push(whole);
  }
  return found.map((text) => text.trim());
}

function refuseLoss(share: number, what: string): never {
  throw new ToolRefusal(
    "bad_input",
    `This would drop ${Math.round(share * 100)} % of ${what}. Use edit for a part of the file, or set confirm if it is meant.`,
  );
}

/**
 * Refuses a text with a placeholder for omitted code ("… rest unchanged"), unless the file already
 * contained that phrase, and a text that drops most of a long file, unless `confirm` is set.
 * @param written the part that the model wrote: the whole file, or the replacement
 * @param after the resulting file
 */
export function assertWhole(
  before: string | null,
  written: string,
  after: string,
  confirm: boolean,
): void {
  if (confirm) return;
  const found = placeholderIn(written).find((phrase) => !(before ?? "").includes(phrase));
  if (found !== undefined) {
    throw new ToolRefusal(
      "bad_input",
      `“${found.slice(0, 200)}” looks like a stand-in for text left out. Write the text itself, or use edit for a part of the file; set confirm if the site is to say just that.`,
    );
  }
  if (before === null) return;
  const lines = countLines(before);
  const droppedLines = 1 - countLines(after) / Math.max(1, lines);
  if (lines > longFileLines && droppedLines > maxRemovedShare)
    refuseLoss(droppedLines, `${lines} lines`);
  const dropped = 1 - after.length / Math.max(1, before.length);
  if (before.length > longText && dropped > maxRemovedShare) {
    refuseLoss(dropped, `${before.length} characters`);
  }
}
