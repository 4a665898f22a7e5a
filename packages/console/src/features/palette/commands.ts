/** A command of the console, as named in the palette and the list of keys. */
export interface Command {
  /** Stable and unique within a palette. */
  id: string;
  title: string;
  /** As shown: "Ctrl Enter", "P". */
  keys?: string;
  run(): void | Promise<void>;
  /** The palette stays open until `run` is done and shows its error. */
  waits?: boolean;
}

/** A group of the palette with a heading. */
export interface CommandGroup {
  title: string;
  commands: readonly Command[];
}

/**
 * The commands whose title contains every typed word, those that begin with the first one first.
 */
export function findCommands(commands: readonly Command[], typed: string): Command[] {
  const words = tokensOf(typed);
  const found = commands.filter(({ title }) => {
    const text = title.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const rank = ({ title }: Command): number =>
    words.length > 0 && title.toLowerCase().startsWith(words[0] ?? "") ? 0 : 1;
  return found.toSorted((one, other) => rank(one) - rank(other));
}

/** A text in parts, with typed words marked. */
export function markMatches(text: string, typed: string): { text: string; match: boolean }[] {
  const words = tokensOf(typed);
  if (words.length === 0) return [{ text, match: false }];
  const lower = text.toLowerCase();
  const marked = Array.from({ length: text.length }, () => false);
  for (const word of words) {
    for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + 1)) {
      marked.fill(true, at, at + word.length);
    }
  }
  const pieces: { text: string; match: boolean }[] = [];
  for (const [index, match] of marked.entries()) {
    const last = pieces.at(-1);
    const character = text.charAt(index);
    if (last?.match === match) last.text += character;
    else pieces.push({ text: character, match });
  }
  return pieces;
}

function tokensOf(typed: string): string[] {
  return typed.toLowerCase().split(/\s+/).filter(Boolean);
}
