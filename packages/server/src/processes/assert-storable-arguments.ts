import { CommanderError } from "commander";
import { controlCharactersMessage, hasControls, illFormedMessage } from "../kit/text.ts";

/** Invalid UTF-8 in an argument arrives as this character. */
const replacement = "\uFFFD";

function faultOf(text: string): string | null {
  if (!text.isWellFormed()) return illFormedMessage;
  if (text.includes(replacement)) return "is not valid UTF-8";
  return hasControls(text) ? controlCharactersMessage : null;
}

/** Names an argument without repeating its value. */
function nameOf(args: readonly string[], at: number): string {
  const option = /^--?[a-zA-Z][\w-]*(?==|$)/;
  const own = option.exec(args[at] ?? "");
  if (own) return `The value of ${own[0]}`;
  const before = option.exec(args[at - 1] ?? "");
  return before ? `The value of ${before[0]}` : `Argument ${at + 1}`;
}

/**
 * Applies the rules for text to the command line before any command reads it: no unpaired
 * surrogates, no invalid UTF-8, no control characters except tabs and line breaks. Throws
 * `CommanderError`, like a usage error, which names the option but never its value.
 */
export function assertStorableArguments(args: readonly string[]): void {
  for (const [at, argument] of args.entries()) {
    const fault = faultOf(argument);
    if (fault === null) continue;
    throw new CommanderError(1, "vitrine.text", `${nameOf(args, at)} ${fault}.`);
  }
}
