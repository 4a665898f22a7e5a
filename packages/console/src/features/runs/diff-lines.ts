const headers =
  /^(?:Index: |=+$|diff --git |index |--- |\+\+\+ |new file|deleted file|old mode|new mode|similarity|rename )/;

export type LineKind = "added" | "removed" | "hunk" | "same";

/** What a line of a patch's body is. */
export function kindOf(line: string): LineKind {
  if (line.startsWith("+")) return "added";
  if (line.startsWith("-")) return "removed";
  return line.startsWith("@@") ? "hunk" : "same";
}

/**
 * The lines of a unified diff without the headers in front of its first hunk, and whether the server
 * has cut it: its last line then says so without one of the signs that a line of a diff begins with.
 */
export function bodyOf(patch: string): { lines: string[]; cut: boolean } {
  const all = patch.replace(/\n$/, "").split("\n");
  const start = all.findIndex((line) => line.startsWith("@@"));
  const lines = start < 0 ? all.filter((line) => !headers.test(line)) : all.slice(start);
  const cut = (lines.at(-1) ?? "").startsWith("… cut");
  if (cut) lines.pop();
  return { lines: lines.every((line) => line === "") ? [] : lines, cut };
}
