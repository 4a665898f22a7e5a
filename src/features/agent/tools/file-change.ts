import { createTwoFilesPatch, diffLines } from "diff";
import type { FileChange } from "../agent.ts";

const longestPatch = 64 * 1024;

/** What happened to a text file, as counts of lines and a unified diff. `null` stands for no file. */
export function fileChange(path: string, before: string | null, after: string | null): FileChange {
  let added = 0;
  let removed = 0;
  for (const part of diffLines(before ?? "", after ?? "")) {
    if (part.added) added += part.count;
    if (part.removed) removed += part.count;
  }
  const patch = createTwoFilesPatch(
    before === null ? "/dev/null" : `a/${path}`,
    after === null ? "/dev/null" : `b/${path}`,
    before ?? "",
    after ?? "",
    undefined,
    undefined,
    { context: 3 },
  );
  const cut = patch.length > longestPatch ? `${patch.slice(0, longestPatch)}\n… cut …\n` : patch;
  return { path, added, removed, patch: cut };
}

/** "+12 −3", as it stands behind a title. */
export function countsOf(change: FileChange): string {
  return `+${change.added} −${change.removed}`;
}
