import { cleanText } from "../../kit/text.ts";

const longest = 80;

/** A task's title from the first words of its instruction: one line, cut between words. */
export function titleFrom(instruction: string): string {
  const line = cleanText(instruction.split("\n").find((text) => text.trim() !== "") ?? "");
  const plain = line.replace(/\s+/g, " ");
  if (plain.length <= longest) return plain;
  const cut = plain.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, "");
  const words = cut.replace(/\s+\S*$/, "");
  return `${(words.length > longest / 3 ? words : cut).replace(/[\s.,;:–—-]+$/, "")}…`;
}
