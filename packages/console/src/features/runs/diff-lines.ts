const headers =
  /^(?:Index: |=+$|diff --git |index |--- |\+\+\+ |new file|deleted file|old mode|new mode|similarity|rename )/;

export type LineKind = "added" | "removed" | "hunk" | "same";

/** The kind of a line in a patch. */
export function kindOf(line: string): LineKind {
  if (line.startsWith("+")) return "added";
  if (line.startsWith("-")) return "removed";
  return line.startsWith("@@") ? "hunk" : "same";
}

/**
 * The lines of a unified diff without the headers before its first hunk, and whether the server has
 * truncated it: its last line then says so and doesn't begin like a diff line.
 */
export function bodyOf(patch: string): { lines: string[]; cut: boolean } {
  const all = patch.replace(/\n$/, "").split("\n");
  const start = all.findIndex((line) => line.startsWith("@@"));
  const lines = start < 0 ? all.filter((line) => !headers.test(line)) : all.slice(start);
  const cut = (lines.at(-1) ?? "").startsWith("… cut");
  if (cut) lines.pop();
  return { lines: lines.every((line) => line === "") ? [] : lines, cut };
}
