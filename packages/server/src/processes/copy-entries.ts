import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { originalsFolder } from "../features/media/library/files.ts";
import type { InstancePaths } from "../platform/paths.ts";

const inCopy = new Set(["content", "data", "vitrine.json"]);

/** Folders and files of `data` that Vitrine makes for a site with PostgreSQL. */
const folders = [
  "backup",
  "exports",
  "films",
  "images",
  "import",
  "import-uploads",
  "publish-targets",
  originalsFolder,
];
const files = new Set(["copy.json", "copy-used", "last-backup.json"]);
/** Locks, sockets, and what a killed process was writing or linking. */
const temporary =
  /^(?:[a-z-]+\.lock(?:\.working)?|web-\d+\.sock|.+\.[0-9a-f]{12}\.tmp|\.current-\d+)$/;

function inData(paths: InstancePaths): Set<string> {
  const { keys, workspaces, artifacts, releases, current, uploads, references, builders } = paths;
  const { compiledSites, compileCache, builderCode, logs, runners, upgrade, slots } = paths;
  const site = [keys, workspaces, artifacts, releases, current, uploads, references, builders];
  const program = [compiledSites, compileCache, builderCode, logs, runners, upgrade, slots];
  return new Set([...[...site, ...program].map((path) => basename(path)), ...folders]);
}

/**
 * What somebody has put into the folder of a copy, besides its content; null if everything there is
 * Vitrine's.
 */
export async function findOtherEntry(paths: InstancePaths): Promise<string | null> {
  const other = (await readdir(paths.dir)).find((name) => !inCopy.has(name));
  if (other !== undefined) return other;
  const known = inData(paths);
  const isKnown = (name: string) => known.has(name) || files.has(name) || temporary.test(name);
  const inside = (await readdir(paths.data)).find((name) => !isKnown(name));
  return inside === undefined ? null : join("data", inside);
}
