import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { readdir, rm, symlink, rename } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { compareVersions, isVersion } from "../../kit/versions.ts";
import { fsyncFolder, removeTree } from "../../platform/files.ts";
import type { InstancePaths } from "../../platform/paths.ts";

type ProgramPaths = Pick<InstancePaths, "data" | "dir" | "program" | "programs">;

/** A whole program beside the instance's data. */
export interface Program {
  version: string;
  dir: string;
  /** Its command. */
  command: string;
}

/** The command of the program in this folder, in a clone as in an installed package. */
export function commandOf(dir: string): string {
  return join(dir, "node_modules/.bin/vitrine");
}

/** The command of the program whose own folder this is. */
export function ownCommand(root: string): string {
  const above = dirname(root);
  return basename(above) === "node_modules" ? join(above, ".bin/vitrine") : commandOf(root);
}

/** Whether a folder is this user's and nobody else can change its entries. */
function isOwnFolder(path: string, uid: number): boolean {
  const info = lstatSync(path);
  return info.isDirectory() && info.uid === uid && (info.mode & 0o022) === 0;
}

/**
 * The program that the instance's link names; null without one. What is there gets run, so there is
 * none either if another user owns the instance or could change the program, and if the link leads
 * elsewhere than to a version in `programs`.
 */
export function linkedProgram(paths: ProgramPaths): Program | null {
  const uid = process.getuid?.();
  if (uid === undefined) return null;
  try {
    const target = readlinkSync(paths.program);
    const version = basename(target);
    if (target !== `programs/${version}` || !isVersion(version)) return null;
    const dir = join(paths.programs, version);
    if (!isOwnFolder(paths.programs, uid) || !isOwnFolder(dir, uid)) return null;
    if (lstatSync(paths.dir).uid !== uid || lstatSync(paths.program).uid !== uid) return null;
    const command = commandOf(dir);
    lstatSync(command);
    return { version, dir, command };
  } catch {
    return null;
  }
}

/**
 * The program that should run instead of the one in `own`: the linked one if it is newer. A clone
 * that was updated by hand is newer than the link, and stays.
 */
export function newerProgram(
  paths: ProgramPaths,
  own: { dir: string; version: string },
): Program | null {
  const linked = linkedProgram(paths);
  if (linked === null || compareVersions(linked.version, own.version) <= 0) return null;
  // A program whose folder has another name than its version must not start itself for ever.
  const [inside, outside] = [realpathSync(own.dir), realpathSync(linked.dir)];
  return inside === outside || inside.startsWith(outside + sep) ? null : linked;
}

/** Points the instance to this version. Readers see the previous program or this one. */
export async function linkProgram(paths: ProgramPaths, version: string): Promise<void> {
  const next = `${paths.program}.next`;
  await rm(next, { force: true });
  await symlink(`programs/${version}`, next);
  await rename(next, paths.program);
  await fsyncFolder(dirname(paths.program));
}

/** Removes programs except the named versions, and what a killed upgrade left. */
export async function pruneProgramsExcept(
  { programs, program }: ProgramPaths,
  versions: readonly (string | null)[],
): Promise<void> {
  await rm(`${program}.next`, { force: true });
  for (const name of await readdir(programs).catch(() => [])) {
    if (!versions.includes(name)) await removeTree(join(programs, name));
  }
}
