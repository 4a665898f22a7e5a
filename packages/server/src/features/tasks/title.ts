import { cleanText } from "../../kit/text.ts";

const longest = 80;

/** A task's title from the first words of its instruction: one line, cut between words. */
export function titleFrom(instruction: string): string {
  const line = cleanText(instruction.split("\n").find((text) => text.trim() !== "") ?? "");
  const plain = line.replace(/\s+/g, " ");
  if (plain.length <= longest) return plain;
  const cut = plain.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, "");
  const words = plain.slice(0, longest).replace(/\s+\S*$/, "");
  // A word that fills half the line is cut, not left out.
  const kept = words.length < longest && words.length > longest / 2 ? words : cut;
  return `${kept.replace(/[\s.,;:–—-]+$/, "")}…`;
}
