import { type AgentContext, type AgentReply, maxSubjectLength } from "./agent.ts";
import { mentionsOtherFiles } from "./commit-message.ts";

const maxSummaryCharacters = 400;

function lastMatch(text: string, pattern: RegExp): string {
  return (
    [...text.matchAll(pattern)]
      .at(-1)?.[1]
      ?.trim()
      .replace(/^[*_`"“]+|[*_`"”]+$/g, "") ?? ""
  );
}

/**
 * Extracts the summary and the commit subject from the model's last message. Without a summary, the
 * last paragraph is used. The subject is empty if there is none or if it names files that didn't
 * change; the caller then derives it from the diff.
 * @param changed paths of the changed files
 */
export function parseClosingMessage(
  text: string,
  mode: AgentContext["mode"],
  changed: Iterable<string>,
): Pick<AgentReply, "summary" | "message"> {
  if (mode === "ask") return { summary: text.trim(), message: "" };
  const summary = lastMatch(text, /^[\s*_]*Summary:[*_]*[ \t]*(.+)$/gim);
  const subject = /^[\s*_]*Commit:[*_]*[ \t]*(.*)$/gim;
  const message = lastMatch(text, subject);
  const paragraphs = text
    .replace(subject, "")
    .trim()
    .split(/\n{2,}/);
  return {
    summary: (summary || (paragraphs.at(-1) ?? "")).slice(0, maxSummaryCharacters),
    message: mentionsOtherFiles(message, changed) ? "" : message.slice(0, maxSubjectLength),
  };
}
