import { isGitName } from "../workspace/content-paths.ts";
import { names } from "./manifest.ts";

/**
 * Entries of `.git` that are never backed up: what git would run, other work trees, repositories of
 * submodules, and a file that has git use another repository.
 */
const withoutGit = new Set(["hooks", "worktrees", "modules", "vitrine-incoming", "commondir"]);

/** Files that have git read the objects of another repository. */
const otherObjects = /^content\/\.git\/objects\/info\/(http-)?alternates$/i;

const inData = /^data\/(keys|media-originals|references|releases)\/./;
const single = new Set([
  names.dump,
  names.begun,
  "vitrine.json",
  "data/install.lock",
  "data/vitrine.db",
]);
const inside = ["import", "keys", "media-originals", "references", "releases"].map(
  (name) => `data/${name}`,
);
const folders = new Set(["content", "data", ...inside]);

/** Whether a direct entry of content/.git is part of a backup. */
export function isBackedUpGitEntry(name: string): boolean {
  return !withoutGit.has(name.toLowerCase()) && !name.endsWith(".lock");
}

/** Whether a file has git read the objects of another repository, such as another site's. */
export const namesOtherObjects = (path: string): boolean => otherObjects.test(path);

function isPlain(path: string): boolean {
  const parts = path.split("/");
  return (
    path.length <= 4000 &&
    // oxlint-disable-next-line no-control-regex
    !/[\u0000-\u001F\u007F]/.test(path) &&
    parts.every((part) => part !== "" && part !== "." && part !== ".." && part.length <= 255)
  );
}

/** Whether a path leads into a repository other than that of content/. Its configuration can run programs. */
function isInOtherRepository(path: string): boolean {
  const parts = path.split("/");
  const isOwn = parts[0] === "content" && parts[1] === ".git";
  return parts.slice(isOwn ? 2 : 0).some(isGitName);
}

/**
 * Whether a backup may contain a file at this path: only in known places, and never outside them.
 * Backups can come from anybody.
 */
export function isBackupPath(path: string): boolean {
  if (!isPlain(path) || isInOtherRepository(path)) return false;
  if (single.has(path) || inData.test(path)) return true;
  const [root, git = "", part = ""] = path.split("/");
  if (root !== "content" || git === "") return false;
  if (git !== ".git") return true;
  if (namesOtherObjects(path)) return false;
  return part === "" || isBackedUpGitEntry(part);
}

/** Whether a backup may contain a folder at this path. */
export function isBackupFolder(path: string): boolean {
  return folders.has(path) || (isBackupPath(path) && !single.has(path));
}

/** Whether the file at this path never changes in place, so that it can be hard-linked. */
export function mayBeShared(path: string): boolean {
  return /^(content\/app\/public\/media|content\/\.git\/objects|data\/releases)\//.test(path);
}
