import { cleanText } from "../../kit/text.ts";

const maxTitleLength = 80;

/** A task's title from the first words of its instruction: one line, cut between words. */
export function titleFrom(instruction: string): string {
  const line = cleanText(instruction.split("\n").find((text) => text.trim() !== "") ?? "");
  const plain = line.replace(/\s+/g, " ");
  if (plain.length <= maxTitleLength) return plain;
  const cut = plain.slice(0, maxTitleLength - 1).replace(/[\uD800-\uDBFF]$/, "");
  const words = plain.slice(0, maxTitleLength).replace(/\s+\S*$/, "");
  // A word that fills half the line is truncated rather than dropped.
  const title = words.length < maxTitleLength && words.length > maxTitleLength / 2 ? words : cut;
  return `${title.replace(/[\s.,;:–—-]+$/, "")}…`;
}
