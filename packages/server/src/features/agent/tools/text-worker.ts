import type { FileChange } from "../agent.ts";
import { assertWhole } from "./elision.ts";
import { fileChange } from "./file-change.ts";
import { matchesPath } from "./match-path.ts";
import { type RefusalReason, ToolRefusal } from "./refusal.ts";
import { replaceExactly } from "./replace-text.ts";

/*
 * What the tools do with whole texts. It runs in a worker: a model chooses the texts, the patterns
 * and what is searched for.
 */

export interface Refused {
  refused: { reason: RefusalReason; message: string };
}

/** Errors lose their class between threads; a refusal is a result. */
function refusable<Result>(work: () => Result): Result | Refused {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ToolRefusal)) throw error;
    return { refused: { reason: error.reason, message: error.message } };
  }
}

export interface WriteInput {
  before: string | null;
  content: string;
  confirm: boolean;
}

/** Refuses a text that stands for more than it says. */
export function checkWrite({ before, content, confirm }: WriteInput): object | Refused {
  return refusable(() => {
    assertWhole(before, content, content, confirm);
    return {};
  });
}

export interface EditInput {
  before: string;
  search: string;
  replace: string;
  replaceAll: boolean;
  confirm: boolean;
}

/** The text after an edit. */
export function applyEdit(input: EditInput): { after: string } | Refused {
  const { before, search, replace, replaceAll, confirm } = input;
  return refusable(() => {
    const after = replaceExactly(before, search, replace, replaceAll);
    if (after !== before) assertWhole(before, replace, after, confirm);
    return { after };
  });
}

export interface ChangeInput {
  path: string;
  before: string | null;
  after: string | null;
}

/** What happened to a file. */
export function compareTexts({ path, before, after }: ChangeInput): FileChange {
  return fileChange(path, before, after);
}

const maxLineLength = 300;

export interface GrepInput {
  text: string;
  wanted: string;
  ignoreCase: boolean;
  max: number;
}

/** The lines that contain a text, with their numbers: at most `max`. */
export function grepLines({ text, wanted, ignoreCase, max }: GrepInput): [number, string][] {
  const search = ignoreCase ? wanted.toLowerCase() : wanted;
  const hits: [number, string][] = [];
  for (let start = 0, number = 1; start <= text.length && hits.length < max; number += 1) {
    const found = text.indexOf("\n", start);
    const end = found < 0 ? text.length : found;
    const line = text.slice(start, end);
    if ((ignoreCase ? line.toLowerCase() : line).includes(search)) {
      hits.push([number, line.trim().slice(0, maxLineLength)]);
    }
    start = end + 1;
  }
  return hits;
}

/** The paths that fit a pattern. */
export function matchPaths({ paths, pattern }: { paths: string[]; pattern: string }): string[] {
  return paths.filter((path) => matchesPath(path, pattern));
}
