import type { RunChange } from "../../../runs/describe.ts";
import { oddCharacter, sensitiveIn } from "./sensitive-text.ts";

const maxMetadata = 90;

/** Whether a text says when, by whom or of which kind a change is, and nothing else. */
function isMetadata(text: string, { kind, actor, at }: RunChange): boolean {
  if (text.length > maxMetadata || !text.includes(at.slice(0, 4))) return false;
  const rest = text
    .split(kind)
    .join(" ")
    .split(actor)
    .join(" ")
    .replace(/\bby\b/gi, " ")
    .replace(/[\d:.,·/+\s-]+/g, " ");
  const words = rest.trim().split(" ").filter(Boolean);
  // A month and a zone of time in any language.
  return words.length <= 4 && words.every((word) => /^\p{L}{1,12}$/u.test(word));
}

const tidy = (text: string) => text.replace(/\s+/g, " ").trim();

/** Whether these texts are those of the change's own entry in the changelog. */
export function isEntryBlock(
  { entry }: { entry: RunChange | null },
  texts: readonly string[],
): boolean {
  if (entry === null || texts.length === 0) return false;
  const own = new Set([entry.title, entry.detail, ...entry.detail.split(/\n+/)].map(tidy));
  return texts.every((text) => own.has(text) || isMetadata(text, entry));
}

const longest = { title: 140, detail: 700 } as const;

/** What in the entry's own words a person has to read first; null without. */
export function entryProblem({ title, detail }: RunChange): string | null {
  if (title.length > longest.title || detail.length > longest.detail) return "a long text";
  const text = `${title}\n${detail}`;
  const { contacts, numbers, services } = sensitiveIn(text);
  return contacts[0] ?? numbers[0] ?? services[0] ?? oddCharacter(text);
}
