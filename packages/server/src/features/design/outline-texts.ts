import type { BuiltFields } from "./schema.ts";

/** Sentences that are instructions for the Web Designer. */
const request =
  /^(?:please|stress|show|make|use|write|keep|mention|highlight|emphasi[sz]e|focus|avoid|start|begin|end|put|do|don['’]t|add|include|leave|describe|the (?:page|text|tone) should|tone:)\b/i;

/** The sentences of a text, line by line. */
export function sentencesOf(text: string): string[] {
  return text
    .split(/\n+/)
    .flatMap((line) =>
      line
        .replace(/^\s*(?:[-*+•]|\d{1,2}[.)])\s+/, "")
        .split(/(?<=[.!?…]["”’)]?)\s+(?=["“‘(]?[\p{Lu}\p{N}])/u),
    )
    .map((sentence) => sentence.trim())
    .filter((sentence) => /\p{L}/u.test(sentence));
}

/** As many whole sentences as fit; a first one that is too long ends at a word. */
function upTo(sentences: readonly string[], max: number): string {
  const [first = ""] = sentences;
  if (first.length > max) return `${first.slice(0, max - 1).replace(/\s+\S*$/, "")}…`;
  let text = first;
  for (const sentence of sentences.slice(1)) {
    if (text.length + 1 + sentence.length > max) break;
    text += ` ${sentence}`;
  }
  return text;
}

/** The brief as paragraphs, without instructions for the Web Designer. */
function bodyOf(brief: string): string {
  return brief
    .split(/\n{2,}/)
    .map((paragraph) =>
      paragraph
        .split("\n")
        .map((line) =>
          line
            .split(/(?<=[.!?…])\s+/)
            .filter((sentence) => !request.test(sentence.replace(/^[-*+•\s]+/, "")))
            .join(" ")
            .trimEnd(),
        )
        .filter((line) => line.trim() !== "")
        .join("\n"),
    )
    .filter((paragraph) => paragraph !== "")
    .join("\n\n");
}

/** The three texts, made of the brief's own sentences. */
export function outlineTexts(brief: string): Pick<BuiltFields, "summary" | "lede" | "body"> {
  const sentences = sentencesOf(brief).filter((sentence) => !request.test(sentence));
  const summary = upTo(sentences.slice(0, 2), 280);
  return { summary, lede: upTo(sentences.slice(0, 3), 600), body: bodyOf(brief).slice(0, 50_000) };
}
