/**
 * The folders of the content repository that commits may contain; nothing else is ever committed.
 */
export const contentFolders = ["app", "brand", "database", "scripts"] as const;

/** The folder of stored media. Their names identify their bytes, so files there never change. */
export const mediaFolder = "app/public/media";

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}

/** Whether a path is stored media. */
export function isMediaPath(path: string): boolean {
  return path === mediaFolder || isBelow(path, mediaFolder);
}

/** Whether a run may change this path. */
export function isWritePath(path: string): boolean {
  if (path === "database/changelog.json") return true;
  if (isMediaPath(path)) return false;
  return ["app/src", "app/public", "brand"].some((folder) => isBelow(path, folder));
}

/**
 * Everything that an agent may read: an allowlist, so that anything added to the repository later
 * stays private. The exported records contain drafts and briefs, and scripts are the owner's.
 */
const readFolders = ["app/src", "app/public", "brand"] as const;
const readFiles = ["app/README.md", "database/changelog.json"] as const;

/** Whether an agent may read a file at this path of its workspace. */
export function isReadPath(path: string): boolean {
  if (isMediaPath(path)) return false;
  return (
    readFiles.some((file) => file === path) || readFolders.some((folder) => isBelow(path, folder))
  );
}

/** Whether an agent may list this folder: it, or a folder below it, is readable. */
export function isReadFolder(path: string): boolean {
  if (path === "" || isReadPath(`${path}/x`)) return true;
  return [...readFolders, ...readFiles].some((inner) => isBelow(inner, path));
}

/**
 * Whether a file is in workspaces and readable by builds: the site's source, which can import any
 * of it, and the seed, but not the exported records or stored media.
 */
export function isBuildPath(path: string): boolean {
  if (isMediaPath(path)) return false;
  return path === "database/changelog.json" || isBelow(path, "app") || isBelow(path, "brand");
}

/** The same as patterns of a sparse work tree (gitignore(5): later lines override earlier ones). */
export const workspacePatterns = `/app/\n/brand/\n/database/changelog.json\n!/${mediaFolder}/\n`;

/** The records in the repository: with the media, everything needed to rebuild the site. */
export const projectsFile = "database/projects.json";

/** Whether a rebuild may change this path: what the program itself stores and commits. */
export function isRecordPath(path: string): boolean {
  return path === projectsFile || isBelow(path, mediaFolder);
}

/** The name that some file systems have for a file with this one. */
const fold = (part: string): string =>
  part
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, "")
    .replace(/:.*$/, "")
    .replace(/[. ]+$/, "")
    .toLowerCase();

/** Whether some file system may have a repository under this name. */
export function isGitName(part: string): boolean {
  const folded = fold(part);
  return folded === ".git" || /^git~\d+$/.test(folded);
}

const isReserved = (part: string): boolean => isGitName(part) || fold(part) === ".gitmodules";

/**
 * Why a name can't be in a commit, or null if it can. Git accepts most of these names, but people,
 * other systems, or git itself would misread them: line breaks forge lines in listings, and `.git`
 * in any spelling that some file system folds to it is a repository. The spellings are those in
 * git's verify_path (HFS+ and NTFS).
 */
export function unsafeName(path: string): string | null {
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(path)) return "its name has control characters";
  if (path.includes("\ufffd")) return "its name is not UTF-8";
  if (path.includes("\\")) return "its name has a backslash";
  for (const part of path.split("/")) {
    if (part === "" || part === "." || part === "..")
      return "its name contains an empty part, . or ..";
    if (isReserved(part)) return "git reserves its name";
  }
  return null;
}
