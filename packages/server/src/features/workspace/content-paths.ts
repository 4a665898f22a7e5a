/** The folders of the content repository that a commit may hold; nothing else is ever committed. */
export const contentFolders = ["app", "brand", "database", "scripts"] as const;

/** Where stored media live: their names tell their bytes, so a file there never changes. */
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
 * All that an agent may read: a list of what is let in, so that whatever else the repository gets
 * stays out. The exported records hold drafts and briefs, and scripts are the owner's.
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

/** Whether an agent may list this folder: one that it may read in, or that such files lie in. */
export function isReadFolder(path: string): boolean {
  if (path === "" || isReadPath(`${path}/x`)) return true;
  return [...readFolders, ...readFiles].some((inner) => isBelow(inner, path));
}

/**
 * Whether a file is in a workspace and may be read by a build: the site's source, which imports what
 * it likes of it, and the seed. The exported records and the stored media are not.
 */
export function isBuildPath(path: string): boolean {
  if (isMediaPath(path)) return false;
  return path === "database/changelog.json" || isBelow(path, "app") || isBelow(path, "brand");
}

/** The same for git, as patterns of a sparse work tree (gitignore(5): a later line outranks). */
export const workspacePatterns = `/app/\n/brand/\n/database/changelog.json\n!/${mediaFolder}/\n`;

/** The records as the repository keeps them: all that is needed to rebuild the site, with the media. */
export const projectsFile = "database/projects.json";

/** Whether a rebuild may change this path: what the program itself stores and commits. */
export function isRecordPath(path: string): boolean {
  return path === projectsFile || isBelow(path, mediaFolder);
}

function isReserved(part: string): boolean {
  const folded = part
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, "")
    .replace(/:.*$/, "")
    .replace(/[. ]+$/, "")
    .toLowerCase();
  return folded === ".git" || folded === ".gitmodules" || /^git~\d+$/.test(folded);
}

/**
 * Why a name can't be in a commit, or null when it can. Git takes most of these names, but a
 * person, another system or git itself would read them as something else: line breaks forge lines
 * of listings, `.git` in any spelling that some file system folds to it is a repository.
 * The spellings are those of git's own verify_path (HFS+ and NTFS).
 */
export function unsafeName(path: string): string | null {
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(path)) return "its name has control characters";
  if (path.includes("\ufffd")) return "its name is not UTF-8";
  if (path.includes("\\")) return "its name has a backslash";
  for (const part of path.split("/")) {
    if (part === "" || part === "." || part === "..") return "its name is not plain";
    if (isReserved(part)) return "git reserves its name";
  }
  return null;
}
