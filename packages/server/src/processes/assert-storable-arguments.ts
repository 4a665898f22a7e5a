import { CommanderError } from "commander";
import { controlCharactersMessage, hasControls, illFormedMessage } from "../kit/text.ts";

/** Bytes of an argument that are no UTF-8 come as this character. */
const replacement = "\uFFFD";

function faultOf(text: string): string | null {
  if (!text.isWellFormed()) return illFormedMessage;
  if (text.includes(replacement)) return "is not valid UTF-8";
  return hasControls(text) ? controlCharactersMessage : null;
}

/** What names an argument without repeating what it holds. */
function nameOf(args: readonly string[], at: number): string {
  const option = /^--?[a-zA-Z][\w-]*(?==|$)/;
  const own = option.exec(args[at] ?? "");
  if (own) return `The value of ${own[0]}`;
  const before = option.exec(args[at - 1] ?? "");
  return before ? `The value of ${before[0]}` : `Argument ${at + 1}`;
}

/**
 * Holds the command line to the rule for texts, before any command reads it: no half of a surrogate
 * pair, no bytes that aren't UTF-8, no control characters but tabs and line breaks. Throws
 * `CommanderError`, as wrong usage does, which names the option and repeats nothing of its value.
 */
export function assertStorableArguments(args: readonly string[]): void {
  for (const [at, argument] of args.entries()) {
    const fault = faultOf(argument);
    if (fault === null) continue;
    throw new CommanderError(1, "vitrine.text", `${nameOf(args, at)} ${fault}.`);
  }
}
