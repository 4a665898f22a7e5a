import { nulList, type Repository } from "./git.ts";

export interface FileDiff {
  path: string;
  /** The previous path of a renamed file. */
  oldPath?: string;
  status: "added" | "modified" | "deleted" | "renamed";
  /** Lines; 0 for a binary file. */
  added: number;
  removed: number;
  binary: boolean;
  /** Unified, from the `@@` of its first hunk; empty for a binary file or a pure rename. */
  patch: string;
  /** Whether the patch was truncated. */
  truncated: boolean;
}

/** Maximum characters of one file's patch. */
export const maxPatchLength = 64 * 1024;

/** Above this, no patches are returned. */
const maxTotalPatchLength = 8 * 1024 * 1024;

const statuses: Record<string, FileDiff["status"]> = {
  A: "added",
  D: "deleted",
  M: "modified",
  T: "modified",
  R: "renamed",
};

function readRaw(items: string[]): FileDiff[] {
  const files: FileDiff[] = [];
  for (let i = 0; i < items.length;) {
    const letter = (items[i] ?? "").split(" ")[4]?.[0] ?? "";
    const status = statuses[letter] ?? "modified";
    const renamed = letter === "R";
    const path = items[i + (renamed ? 2 : 1)] ?? "";
    files.push({
      path,
      ...(renamed ? { oldPath: items[i + 1] ?? "" } : {}),
      status,
      added: 0,
      removed: 0,
      binary: false,
      patch: "",
      truncated: false,
    });
    i += renamed ? 3 : 2;
  }
  return files;
}

/**
 * `--numstat -z`: `added TAB removed TAB path`, or for a rename an empty path and two more items.
 */
function readCounts(items: string[], files: FileDiff[]): void {
  let index = 0;
  for (let i = 0; i < items.length; i += 1) {
    const [added = "", removed = "", path = ""] = (items[i] ?? "").split("\t");
    const file = files[index];
    index += 1;
    if (path === "") i += 2;
    if (!file) continue;
    file.binary = added === "-";
    file.added = Number(added) || 0;
    file.removed = Number(removed) || 0;
  }
}

function setPatch(file: FileDiff, section: string): void {
  const start = section.search(/^@@ /m);
  if (start < 0) return;
  const patch = section.slice(start);
  file.truncated = patch.length > maxPatchLength;
  const end = file.truncated
    ? patch.lastIndexOf("\n", maxPatchLength) + 1 || maxPatchLength
    : patch.length;
  file.patch = patch.slice(0, end);
}

/**
 * The differences between two commits or trees, file by file in the order of their paths, with
 * renames. A patch is truncated at 64 Ki characters; if all of them exceed 8 MiB, none is returned.
 */
export async function diffTrees(
  repository: Repository,
  from: string,
  to: string,
): Promise<FileDiff[]> {
  const common = ["diff-tree", "-r", "-M", "--no-ext-diff", "--no-textconv", "--no-color"];
  const listing = await repository.git([...common, "-z", "--raw", "--numstat", from, to]);
  const items = nulList(listing.stdout);
  const split = items.findIndex((item) => /^(\d+|-)\t(\d+|-)\t/.test(item));
  if (split < 0) return [];
  const files = readRaw(items.slice(0, split));
  readCounts(items.slice(split), files);
  const patches = await repository
    .git([...common, "-p", "--unified=3", from, to], { maxBytes: maxTotalPatchLength })
    .then(
      (result) => result.stdout,
      () => null,
    );
  // Inside a patch, every line begins with a space, a sign, or a backslash.
  const sections = patches?.split(/^diff --git /m).slice(1) ?? [];
  for (const [index, file] of files.entries()) {
    const section = sections[index];
    if (patches === null) file.truncated = !file.binary;
    else if (section !== undefined && !file.binary) setPatch(file, section);
  }
  return files;
}
