import type { FileChange } from "../agent.ts";
import { diffLines, unifiedPatch } from "./line-diff.ts";

const maxPatchLength = 64 * 1024;

/**
 * The change to a text file as line counts and a unified diff. `null` means that there is no file.
 */
export function fileChange(path: string, before: string | null, after: string | null): FileChange {
  const diff = diffLines(before ?? "", after ?? "");
  const oldName = before === null ? "/dev/null" : `a/${path}`;
  const newName = after === null ? "/dev/null" : `b/${path}`;
  const patch = unifiedPatch(oldName, newName, diff);
  const cut =
    patch.length > maxPatchLength ? `${patch.slice(0, maxPatchLength)}\n… cut …\n` : patch;
  return { path, added: diff.added, removed: diff.removed, patch: cut };
}

function countLines(text: string | null): number {
  if (text === null || text === "") return 0;
  let count = text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** The same if the diff can't be computed: the whole file counts as replaced. */
export function wholeFileChange(
  path: string,
  before: string | null,
  after: string | null,
): FileChange {
  const patch = "Too large to show line by line.\n";
  return { path, added: countLines(after), removed: countLines(before), patch };
}

/** "+12 −3", shown after a title. */
export function countsOf(change: FileChange): string {
  return `+${change.added} −${change.removed}`;
}
